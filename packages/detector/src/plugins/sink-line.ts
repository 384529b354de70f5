import { isWebhookEvent } from '@turnwatch/webhook/receive';
import {
  type EndpointConfig,
  failure,
  type PostAnswer,
  type PostLine,
  type PostRequest,
} from '@turnwatch/webhook/send';
import type { LoadedPlugin } from './loaded-plugin.ts';
import { PluginTimeout } from './plugin-guard.ts';

const leastRetryMs = 1000;
const mostRetryMs = 600_000;

/** The sink as an endpoint of the outbox: a lane of its own, with the same attempts, pauses and dead letters. */
export function sinkEndpoint(sink: LoadedPlugin<'sink'>): EndpointConfig {
  const { plugin, match, types } = sink.config;
  return {
    id: sink.id,
    url: `plugin:${encodeURIComponent(plugin)}`,
    plugin,
    secrets: [],
    ...(match === undefined ? {} : { match }),
    ...(types === undefined ? {} : { types }),
  };
}

/** The way of the outbox to a sink. */
export class SinkLine implements PostLine {
  readonly #sink: LoadedPlugin<'sink'>;

  constructor(sink: LoadedPlugin<'sink'>) {
    this.#sink = sink;
  }

  async post({ body, attempt = 1 }: PostRequest): Promise<PostAnswer> {
    const event: unknown = JSON.parse(body);
    if (!isWebhookEvent(event)) return refused('the event in the outbox is none that this version knows', {});
    try {
      await this.#sink.call('deliver', (sink, signal) => sink.deliver(event, { attempt, body, signal }));
      return { status: 204 };
    } catch (error) {
      if (error instanceof PluginTimeout)
        return { status: 0, failure: failure('timeout', this.#sink.guard.textOf(error)) };
      return refused(this.#sink.guard.textOf(error), askedOf(error));
    }
  }

  /** The plugin is stopped with the detector, not with its lane: another configuration of the lane uses it on. */
  readonly close = (): void => undefined;
}

function refused(message: string, more: Parameters<typeof failure>[2]): PostAnswer {
  return { status: more?.status ?? 0, failure: failure('plugin_failed', message, more) };
}

/** Read by its fields: the plugin may have a `DeliveryFailure` of another copy of the package. */
function askedOf(error: unknown): { status?: number; retryAfterMs?: number; permanent?: boolean } {
  if (typeof error !== 'object' || error === null) return {};
  const { status, retryAfterMs, permanent } = error as Readonly<Record<string, unknown>>;
  return {
    ...(typeof status === 'number' && Number.isInteger(status) ? { status } : {}),
    ...(typeof retryAfterMs === 'number' && retryAfterMs > 0
      ? { retryAfterMs: Math.min(mostRetryMs, Math.max(leastRetryMs, retryAfterMs)) }
      : {}),
    ...(permanent === true ? { permanent } : {}),
  };
}
