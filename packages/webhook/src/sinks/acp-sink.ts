import type { WebhookEvent } from '../receive/events.generated.ts';
import { traceparentOf } from './traceparent.ts';
import { untilAborted } from './until-aborted.ts';
import type { VerdictSink } from './verdict-sink.ts';
import { verdictText } from './verdict-text.ts';

/**
 * The other side of an Agent Client Protocol connection, as the SDK hands it out: `connection.client` on the agent's side,
 * `connection.agent` on the client's, either of them in a handler's context.
 */
export interface AcpPeer {
  /** Resolves when the notification is written. */
  notify(method: string, params: Readonly<Record<string, unknown>>): Promise<void>;
}

export interface AcpSinkOptions {
  readonly peer: AcpPeer;
  /** Which ACP session the event belongs to; sent as `sessionId`. Default: none is named. */
  readonly sessionId?: (event: WebhookEvent) => string | undefined;
  /** Default `acp`. */
  readonly name?: string;
}

/**
 * Tells by an ACP extension notification: `turn.stale` is `_turnwatch/turn_stale`, and so on for every type. Params are
 * `{sessionId?, message, event, _meta: {traceparent}}`; `event` is the whole document, `message` one line for the agent.
 * A side that does not know the method ignores it, as ACP demands: there is no acknowledgement.
 */
export function acpSink({ peer, sessionId, name = 'acp' }: AcpSinkOptions): VerdictSink {
  return {
    name,
    deliver(event, signal) {
      const session = sessionId?.(event);
      return untilAborted(signal, () =>
        peer.notify(`_turnwatch/${event.type.replaceAll('.', '_')}`, {
          ...(session === undefined ? {} : { sessionId: session }),
          message: verdictText(event),
          event,
          _meta: { traceparent: traceparentOf(event) },
        }),
      );
    },
  };
}
