import * as api from '@opentelemetry/api';
import { type AgentMetricKey, agentMetrics, type MetricSpec } from '@turnwatch/protocol/wire';
import type { Counters } from '../producer/counters.ts';

type Labels = Readonly<Record<string, string>>;
type HistogramKey = 'inferenceDuration' | 'firstChunk' | 'largestGap';
type ObservedKey = Exclude<AgentMetricKey, HistogramKey | 'rereadTokens'>;

/** What is counted elsewhere and only read when somebody collects. */
const observed: readonly {
  readonly key: ObservedKey;
  readonly read: (counters: Counters) => readonly (readonly [number, Labels])[];
}[] = [
  { key: 'lateSettlements', read: ({ lateSettlements }) => [[lateSettlements, {}]] },
  { key: 'duplicateEnds', read: ({ duplicateEnds }) => [[duplicateEnds, {}]] },
  {
    key: 'refused',
    read: ({ refusedTurns, refusedRequests, refusedCalls }) => [
      [refusedTurns, { kind: 'turn' }],
      [refusedRequests, { kind: 'request' }],
      [refusedCalls, { kind: 'tool_call' }],
    ],
  },
];

const scope = '@turnwatch/instrumentation';

/**
 * The instruments of the meter provider that is registered now. The API hands out a meter of nothing before there is one,
 * and that one stays so: the provider is looked at each time.
 */
export class Instruments {
  readonly #counters: Counters;
  #provider: api.MeterProvider | undefined;
  #histograms: Readonly<Record<HistogramKey, api.Histogram>> | undefined;
  #reread: api.Counter | undefined;
  #forget: () => void = () => undefined;

  constructor(counters: Counters) {
    this.#counters = counters;
  }

  /** Is there a meter provider? Without one nothing needs to be kept for metrics. */
  get isLive(): boolean {
    this.#refresh();
    return this.#histograms !== undefined;
  }

  record(key: HistogramKey, ms: number, labels: Labels): void {
    this.#refresh();
    this.#histograms?.[key].record(ms / 1000, labels);
  }

  reread(tokens: number, labels: Labels): void {
    this.#refresh();
    this.#reread?.add(tokens, labels);
  }

  #refresh(): void {
    const provider = api.metrics.getMeterProvider();
    if (provider === this.#provider) return;
    this.#provider = provider;
    this.#forget();
    this.#forget = () => undefined;
    const meter = provider.getMeter(scope);
    const isNone = meter === api.createNoopMeter();
    this.#histograms = isNone
      ? undefined
      : {
          inferenceDuration: histogram(meter, agentMetrics.inferenceDuration),
          firstChunk: histogram(meter, agentMetrics.firstChunk),
          largestGap: histogram(meter, agentMetrics.largestGap),
        };
    this.#reread = isNone ? undefined : meter.createCounter(...named(agentMetrics.rereadTokens));
    if (!isNone) this.#forget = this.#observe(meter);
  }

  #observe(meter: api.Meter): () => void {
    const stops = observed.map(({ key, read }) => {
      const counter = meter.createObservableCounter(...named(agentMetrics[key]));
      const callback = (result: api.ObservableResult): void => {
        for (const [value, labels] of read(this.#counters)) result.observe(value, labels);
      };
      counter.addCallback(callback);
      return () => counter.removeCallback(callback);
    });
    return () => {
      for (const stop of stops) stop();
    };
  }
}

function histogram(meter: api.Meter, spec: MetricSpec): api.Histogram {
  const [name, options] = named(spec);
  return meter.createHistogram(name, {
    ...options,
    advice: { explicitBucketBoundaries: [...(spec.buckets ?? [])] },
  });
}

function named({ name, help, unit }: MetricSpec): [string, api.MetricOptions] {
  return [name, { description: help, unit }];
}
