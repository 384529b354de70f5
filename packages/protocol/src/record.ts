/** Attribute values we use; OTLP's other kinds are skipped on receipt. */
export type AttributeValue =
  | string
  | number
  | boolean
  | readonly string[]
  | readonly number[]
  | readonly boolean[];

/** A log record as it crosses the wire, whatever its encoding. Prompts, bodies and unknown attributes are never in it. */
export interface WireRecord {
  readonly eventName: string;
  /** ms since the epoch, the producer's wall clock; 0 where the producer gave none. */
  readonly timeMs: number;
  /** 32 lower-case hex digits. */
  readonly traceId?: string;
  /** 16 lower-case hex digits. */
  readonly spanId?: string;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  /** `service.name` of the resource. */
  readonly service?: string;
}
