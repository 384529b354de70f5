import { DeliveryFailure, definePlugin, type Plugin } from '@turnwatch/plugin';
import type { WebhookEvent } from '@turnwatch/webhook/receive';
import { type A2aTarget, a2aSink, SinkError } from '@turnwatch/webhook/sinks';
import { z } from 'zod';

interface A2aOptions {
  /** The push notification URL of the agent that is to be told. */
  readonly url: string;
  /** Variable with the credentials; without it none are sent. */
  readonly credentialsEnv?: string | undefined;
  /** Scheme of the header `authorization`. Default `Bearer`. */
  readonly scheme: string;
  /** Which id is the A2A task's: the parent's (default), or the turn's own. */
  readonly task: 'parent' | 'turn';
}

const optionsSchema: z.ZodType<A2aOptions> = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }),
  credentialsEnv: z.string().min(1).optional(),
  scheme: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,32}$/)
    .default('Bearer'),
  task: z.enum(['parent', 'turn']).default('parent'),
});

/** Tells by A2A push notification, where ids of turns or parents are those of A2A tasks. */
export const a2a: Plugin<'sink', A2aOptions> = definePlugin({
  apiVersion: 1,
  kind: 'sink',
  name: 'a2a',
  optionsSchema,
  create({ url, credentialsEnv, scheme, task }, host) {
    const authentication =
      credentialsEnv === undefined ? undefined : { scheme, credentials: host.secret(credentialsEnv) };
    const sink = a2aSink({
      name: host.id,
      post: async (to, headers, body, signal) => (await host.fetch(to, { headers, body, signal })).status,
      targets: (event) => targetsOf(event, task).map((ids) => ({ ...ids, url, authentication })),
    });
    return {
      async deliver(event, { signal }) {
        try {
          await sink.deliver(event, signal);
        } catch (error) {
          if (!(error instanceof SinkError)) throw error;
          // Nobody is there to be told, however often it is tried.
          throw new DeliveryFailure(error.message, {
            permanent: error.code === 'no_target',
            ...(error.status === undefined ? {} : { status: error.status }),
          });
        }
      },
    };
  },
});

function targetsOf(event: WebhookEvent, task: A2aOptions['task']): readonly Omit<A2aTarget, 'url'>[] {
  const { data } = event;
  const turn = typeof data === 'object' && data !== null && 'turn' in data ? data.turn : undefined;
  if (typeof turn !== 'object' || turn === null) return [];
  const { id, parentId, conversationId } = turn as Readonly<Record<string, unknown>>;
  const taskId = task === 'turn' ? id : parentId;
  if (typeof taskId !== 'string') return [];
  return [{ taskId, contextId: typeof conversationId === 'string' ? conversationId : taskId }];
}
