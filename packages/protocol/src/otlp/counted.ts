import { OtlpError } from './error.ts';
import type { Maker } from './maker.ts';
import { defaultMaxRecords } from './selection.ts';

/** Signals that nothing is judged from: they are counted by whose they are, and nothing of them is kept. */
export type CountedSignal = 'traces' | 'metrics';

export interface CountLimits {
  /** Spans, or metrics, or data points in one request. Default 20,000. */
  readonly maxRecords?: number;
}

/** So many more spans or data points of one maker. */
export type CountSink = (maker: Maker, records: number) => void;

/** How the messages of a signal are named; their field numbers are the same for both but for the record's own. */
export const layouts = {
  traces: {
    resources: 'resourceSpans',
    scopes: 'scopeSpans',
    records: 'spans',
    record: 'a span',
    unit: 'spans',
    nameField: 5,
    attributesField: 9,
  },
  metrics: {
    resources: 'resourceMetrics',
    scopes: 'scopeMetrics',
    records: 'metrics',
    record: 'a metric',
    unit: 'data points',
    nameField: 1,
    attributesField: undefined,
  },
} as const;

/** Kinds of metrics by their field; each holds its points in field 1, `dataPoints`. */
export const metricKinds: ReadonlyMap<number, string> = new Map([
  [5, 'gauge'],
  [7, 'sum'],
  [9, 'histogram'],
  [10, 'exponentialHistogram'],
  [11, 'summary'],
]);

/** Counts against the limit while the request is read: what comes after it is not looked at. */
export class Tally {
  seen = 0;
  readonly #sink: CountSink;
  readonly #maxRecords: number;
  readonly #unit: string;
  #messages = 0;

  constructor(signal: CountedSignal, sink: CountSink, limits: CountLimits) {
    this.#sink = sink;
    this.#maxRecords = limits.maxRecords ?? defaultMaxRecords;
    this.#unit = layouts[signal].unit;
  }

  /** A span, or a metric, which may have no points at all. */
  message(): void {
    if (++this.#messages > this.#maxRecords) throw this.#tooMany();
  }

  /** Spans or data points, before it is known whose they are. */
  record(): void {
    if (++this.seen > this.#maxRecords) throw this.#tooMany();
  }

  of(maker: Maker, records: number): void {
    if (records > 0) this.#sink(maker, records);
  }

  #tooMany(): OtlpError {
    return new OtlpError('too_many_records', `more than ${this.#maxRecords} ${this.#unit} in one request`);
  }
}
