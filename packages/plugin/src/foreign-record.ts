/** Attribute values as OTLP has them; maps and lists of maps are never handed on. */
export type ForeignValue =
  | string
  | number
  | boolean
  | readonly string[]
  | readonly number[]
  | readonly boolean[];

interface ForeignBase {
  /** Only those that the mapper selects; prompts and tool contents cannot be selected. */
  readonly attributes: Readonly<Record<string, ForeignValue>>;
  /** Of the resource, only those that the mapper selects. */
  readonly resource: Readonly<Record<string, ForeignValue>>;
  /** `service.name` of the resource. */
  readonly service?: string;
  /** Name of the instrumentation scope. */
  readonly scope?: string;
}

/** A log record of another maker. Its body is never read. */
export interface ForeignLog extends ForeignBase {
  readonly kind: 'log';
  /** The field `event_name`, or the attribute `event.name`. */
  readonly eventName: string;
  /** ms since the epoch by the producer's clock; 0: none was given. */
  readonly timeMs: number;
  /** 32 lower-case hex digits. */
  readonly traceId?: string;
  readonly spanId?: string;
}

/** A span of another maker: it arrives when it has ended, and with its exporter's batch. */
export interface ForeignSpan extends ForeignBase {
  readonly kind: 'span';
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly status: 'unset' | 'ok' | 'error';
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

/** One point of a metric of another maker. */
export interface ForeignMetric extends ForeignBase {
  readonly kind: 'metric';
  readonly name: string;
  readonly timeMs: number;
  /** Of a sum or gauge its value, of a histogram its count. */
  readonly value: number;
}

/** Telemetry of other makers as a mapper sees it, whatever its encoding. */
export type ForeignRecord = ForeignLog | ForeignSpan | ForeignMetric;
