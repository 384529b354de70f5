import { DeliveryFailure, definePlugin, type Plugin } from '@turnwatch/plugin';
import { deliveryHeaders, type EndpointConfig, judgeAnswer } from '@turnwatch/webhook/send';
import { z } from 'zod';

interface WebhookOptions {
  readonly url: string;
  /** Variable with the `whsec_` secret or `whsk_` key. */
  readonly secretEnv: string;
  /** Variable with a bearer token. Default: none is sent. */
  readonly bearerEnv?: string | undefined;
  readonly contentType?: 'application/json' | 'application/cloudevents+json' | undefined;
}

const optionsSchema: z.ZodType<WebhookOptions> = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }),
  secretEnv: z.string().min(1),
  bearerEnv: z.string().min(1).optional(),
  contentType: z.enum(['application/json', 'application/cloudevents+json']).optional(),
});

/**
 * The signed POST that `endpoints` make, as a plugin. Entries of `endpoints` keep their connections and stand in the
 * endpoint API beside the registered ones; this is the same contract where everything is a plugin.
 */
export const webhook: Plugin<'sink', WebhookOptions> = definePlugin({
  apiVersion: 1,
  kind: 'sink',
  name: 'webhook',
  optionsSchema,
  create({ url, secretEnv, bearerEnv, contentType }, host) {
    const endpoint: EndpointConfig = {
      id: host.id,
      url,
      secrets: [host.secret(secretEnv)],
      ...(bearerEnv === undefined ? {} : { bearer: host.secret(bearerEnv) }),
      ...(contentType === undefined ? {} : { contentType }),
    };
    return {
      async deliver(event, { attempt, body, signal }) {
        const row = { id: event.id, endpointId: host.id, attempts: attempt - 1, body };
        const headers = deliveryHeaders(endpoint, row, host.clock.wallMs());
        const answer = await host.fetch(url, { headers, body, signal, maxBytes: 4096 });
        const retryAfter = answer.headers['retry-after'];
        const why = judgeAnswer(
          {
            status: answer.status,
            excerpt: answer.body.slice(0, 400),
            ...(retryAfter === undefined ? {} : { retryAfter }),
          },
          host.clock.wallMs(),
        );
        if (why === undefined) return;
        throw new DeliveryFailure(why.message, {
          status: answer.status,
          permanent: why.code === 'gone',
          ...(why.retryAfterMs === undefined ? {} : { retryAfterMs: why.retryAfterMs }),
        });
      },
    };
  },
});
