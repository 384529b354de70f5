import type { Timers } from '../horizon.ts';
import type { LifeSign } from './observer.ts';

/** Thrown into a stream that showed no sign of life for too long. */
export class StreamIdleError extends Error {
  override readonly name: string = 'StreamIdleError';
  readonly code: string = 'TURNWATCH_STREAM_IDLE';
  readonly idleMs: number;
  /** The last sign of life that was seen; `none`: not one. */
  readonly lastKind: LifeSign | 'none';
  /** The request has had no end, so that a new one is the way on. */
  readonly retryable: boolean = true;

  constructor(idleMs: number, lastKind: LifeSign | 'none') {
    super(
      `The stream showed no sign of life for ${idleMs} ms (the last one: ${lastKind}); start the request anew, or allow more with idleMs`,
    );
    this.idleMs = idleMs;
    this.lastKind = lastKind;
  }
}

export const everySign: readonly LifeSign[] = ['keepalive', 'progress', 'content'];

export interface IdleOptions {
  /** Longest time without a sign of life, ms, while a reader waits. */
  readonly idleMs: number;
  /** Signs that show the stream to be alive. Default: all three, for a client need not cut a stream that is alive (000). */
  readonly extendOn?: readonly LifeSign[] | undefined;
}

export interface IdleClock {
  readonly timers: Timers;
  /** Monotonic, ms. */
  readonly now: () => number;
}

/** Measures how long a reader has waited in vain. A reader that does other things meanwhile does not use the time up. */
export class IdleWatch {
  readonly #idleMs: number;
  readonly #extendOn: ReadonlySet<LifeSign>;
  readonly #clock: IdleClock;
  readonly #fire: (error: StreamIdleError) => void;
  #lastKind: LifeSign | 'none' = 'none';
  #waitedMs = 0;
  #sinceMs: number | undefined;
  #extended = false;
  #stopTimer: (() => void) | undefined;
  #isOver = false;

  /** @throws RangeError when `idleMs` is no positive number. */
  constructor(options: IdleOptions, clock: IdleClock, fire: (error: StreamIdleError) => void) {
    if (!(options.idleMs > 0))
      throw new RangeError(`idleMs must be a number of milliseconds above 0, not ${options.idleMs}`);
    this.#idleMs = options.idleMs;
    this.#extendOn = new Set(options.extendOn ?? everySign);
    this.#clock = clock;
    this.#fire = fire;
  }

  /** A reader waits for the next piece. */
  pulling(): void {
    if (this.#isOver) return;
    this.#sinceMs ??= this.#clock.now();
    if (this.#stopTimer === undefined) this.#arm(this.#idleMs - this.#waitedMs);
  }

  sign(kind: LifeSign): void {
    this.#lastKind = kind;
    if (this.#extendOn.has(kind)) this.#extended = true;
  }

  /** A piece has come, whose signs were told before. The timer stays: moving it each time would cost more than the rest. */
  arrived(): void {
    if (this.#sinceMs !== undefined) this.#waitedMs += this.#clock.now() - this.#sinceMs;
    this.#sinceMs = undefined;
    if (this.#extended) this.#waitedMs = 0;
    this.#extended = false;
  }

  stop(): void {
    this.#isOver = true;
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  #arm(ms: number): void {
    this.#stopTimer = this.#clock.timers.after(Math.max(1, Math.ceil(ms)), () => {
      this.#stopTimer = undefined;
      // Nobody waits: the next `pulling` sets it anew.
      if (this.#sinceMs === undefined || this.#isOver) return;
      const leftMs = this.#idleMs - this.#waitedMs - (this.#clock.now() - this.#sinceMs);
      if (leftMs > 0) {
        this.#arm(leftMs);
        return;
      }
      this.stop();
      this.#fire(new StreamIdleError(this.#idleMs, this.#lastKind));
    });
  }
}
