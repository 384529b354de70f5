import type { Outcome } from '../producer/signal.ts';
import type { DialectName } from './dialect/dialect.ts';
import type { Usage } from './dialect/reading.ts';

/** What was seen of one response. Durations in ms since its request began; absent: it did not happen. */
export interface StreamSummary {
  readonly dialect: DialectName;
  readonly outcome: Outcome;
  readonly status?: number;
  /** Class of the error, never its text. */
  readonly errorType?: string;
  /** Pieces as they came off the wire. */
  readonly chunks: number;
  readonly bytes: number;
  readonly contents: number;
  /** Comments, pings, empty deltas and steps without content. */
  readonly keepalives: number;
  readonly comments: number;
  readonly progresses: number;
  readonly headersMs?: number;
  readonly firstByteMs?: number;
  readonly firstContentMs?: number;
  readonly lastByteMs?: number;
  /** Longest time between two pieces. */
  readonly longestGapMs: number;
  readonly totalMs: number;
  readonly usage?: Usage;
}
