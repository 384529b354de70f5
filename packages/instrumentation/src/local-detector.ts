import { TurnExpiredError, type TurnExpiredEvent } from './errors.ts';
import { TurnStaleError, type TurnStaleEvent } from './stale-error.ts';

/** A record as it crosses the wire, for a detector that no wire leads to. Plain data, never changed afterwards. */
export interface LocalRecord {
  readonly eventName: string;
  /** ms since the epoch. */
  readonly timeMs: number;
  readonly traceId?: string;
  readonly service?: string;
  readonly attributes: Readonly<
    Record<string, string | number | boolean | readonly string[] | readonly number[] | readonly boolean[]>
  >;
}

/** A verdict that ends an attempt. */
export type AbortingEvent = TurnStaleEvent | TurnExpiredEvent;

/** What a detector may do to the turns of this process. */
export interface AttemptControl {
  /**
   * Ends the attempt: `turn.signal` fires, and `withTurn`, `withRequest` and `withToolCall` reject at once with a
   * `TurnStaleError` or `TurnExpiredError`, whether or not their work ever settles; what settles later is counted and
   * ignored. Never throws.
   *
   * @returns false where that attempt is not open in this process.
   */
  abort(event: AbortingEvent): boolean;
}

/** A detector in this process: `@turnwatch/detector/embedded` makes one. */
export interface LocalDetector {
  /** Records that leave together, in their order: a heartbeat, or one that goes out at once. */
  records(batch: readonly LocalRecord[]): void;
  /** Called once, before the first record. */
  attach(control: AttemptControl): void;
}

export function abortError(event: AbortingEvent): TurnStaleError | TurnExpiredError {
  return 'stale' in event.data
    ? TurnStaleError.fromEvent(event as TurnStaleEvent)
    : TurnExpiredError.fromEvent(event as TurnExpiredEvent);
}
