import { randomBytes, randomUUID } from 'node:crypto';
import { currentTurn, type StartOptions } from '@turnwatch/instrumentation';
import { recordOf, textOf } from '@turnwatch/instrumentation/framework';

const turnIdKey = 'turnwatch.turn.id';

/** What {@link promptMeta} gives. Its names are extensions that agents which do not know them ignore. */
export interface PromptMeta {
  [name: string]: string;
}

/**
 * For the `_meta` of one `session/prompt`: gives its turn an id and a trace, so that the turn of an agent that is watched
 * too becomes its child. Without it both turns are there, each by itself.
 *
 * @param turnId of the prompt's turn. Default: random.
 */
export function promptMeta(turnId: string = randomUUID()): PromptMeta {
  const traceparent =
    currentTurn()?.traceparent ??
    `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-00`;
  return { [turnIdKey]: turnId, traceparent };
}

/** How the turn of a prompt is to start, as its `_meta` says: for the client its own id, for the agent its parent's. */
export function startFrom(params: unknown, side: 'client' | 'agent'): StartOptions {
  const meta = recordOf(recordOf(params)._meta);
  const turnId = textOf(meta[turnIdKey]);
  const traceparent = textOf(meta.traceparent);
  return {
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(turnId === undefined ? {} : side === 'client' ? { id: turnId } : { parentId: turnId }),
  };
}
