import type { DecodeResult } from './selection.ts';

export type OtlpErrorKind = 'malformed' | 'too_many_records';

/**
 * Thrown by the decoders: `malformed` when the bytes are no OTLP logs request (answer 400), `too_many_records` when
 * there are more than `limits.maxRecords` (answer 413). Records before the fault have already gone to the sink; that is
 * harmless, because every signal is cumulative.
 */
export class OtlpError extends Error {
  readonly kind: OtlpErrorKind;
  /** What had been read before the fault. */
  readonly result: DecodeResult;

  constructor(kind: OtlpErrorKind, message: string, result: DecodeResult = { seen: 0, matched: 0 }) {
    super(message);
    this.name = 'OtlpError';
    this.kind = kind;
    this.result = result;
  }
}
