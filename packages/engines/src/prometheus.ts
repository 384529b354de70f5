import {
  definePlugin,
  type EngineProbe,
  type EngineReading,
  type Plugin,
  type PluginHost,
} from '@turnwatch/plugin';
import { z } from 'zod';
import { sumsOf } from './prometheus-text.ts';

// Any engine that counts its work for Prometheus. Counters over all requests cannot say whose request moves, so they
// are one slot that nobody owns: the engine as a whole lives.

export interface PrometheusOptions {
  /** Where the metrics are: `http://127.0.0.1:8000/metrics`. */
  readonly url: string;
  /** The engine's name as agents give it in `engine.id`. */
  readonly engine: string;
  /** Variable with a bearer token. Default: none is sent. */
  readonly tokenEnv?: string | undefined;
  readonly metrics: {
    /** Gauge of requests that are worked on. */
    readonly running: string;
    /** Gauge of requests that wait. */
    readonly waiting?: string | undefined;
    /** Counter of prompt tokens that were read. */
    readonly read?: string | undefined;
    /** Counter of tokens that were generated. */
    readonly generated?: string | undefined;
  };
}

const name = z.string().regex(/^[A-Za-z_:][A-Za-z0-9_:]*$/, 'must be the name of a Prometheus metric');

const optionsSchema: z.ZodType<PrometheusOptions> = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }),
  engine: z.string().min(1),
  tokenEnv: z.string().min(1).optional(),
  metrics: z
    .strictObject({
      running: name,
      waiting: name.optional(),
      read: name.optional(),
      generated: name.optional(),
    })
    .refine(
      ({ read, generated }) => read !== undefined || generated !== undefined,
      'needs read or generated: a gauge of running requests alone is no sign of life',
    ),
});

/** A probe of a Prometheus endpoint. */
export function prometheusProbe(options: PrometheusOptions, host: PluginHost): EngineProbe {
  const { url, engine, metrics } = options;
  const headers =
    options.tokenEnv === undefined ? {} : { authorization: `Bearer ${host.secret(options.tokenEnv)}` };
  const names = new Set(Object.values(metrics).filter((metric) => metric !== undefined));
  return {
    engine,
    async probe(signal) {
      const { status, body } = await host.fetch(url, { headers, signal, maxBytes: 8 * 1024 * 1024 });
      if (status !== 200) throw new Error(`the metrics address answered ${status}`);
      return readingOf(sumsOf(body, names), metrics);
    },
  };
}

function readingOf(sums: ReadonlyMap<string, number>, metrics: PrometheusOptions['metrics']): EngineReading {
  const of = (metric: string | undefined): number => (metric === undefined ? 0 : (sums.get(metric) ?? 0));
  if (!sums.has(metrics.running))
    throw new Error(`there is no metric ${metrics.running}; see the names at the metrics address`);
  const queued = of(metrics.waiting);
  if (of(metrics.running) === 0) return { state: 'idle', queued };
  return {
    state: 'busy',
    queued,
    slots: [{ id: 0, read: of(metrics.read), generated: of(metrics.generated) }],
  };
}

/** The probe as a plugin. */
export const prometheus: Plugin<'probe', PrometheusOptions> = definePlugin({
  apiVersion: 1,
  kind: 'probe',
  name: 'prometheus',
  optionsSchema,
  create: prometheusProbe,
});
