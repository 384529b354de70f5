import type { Timers } from './clocks.ts';
import type { Logger } from './logger.ts';
import type { Meters } from './meters.ts';

const tickMs = 1000;
/** /healthz fails beyond this age: a detector that does not judge must not look alive. */
const maxAgeTicks = 3;

/** Shorter pauses are the ordinary grain of timers. */
const toldPauseMs = 1000;

/** Says that the detector itself stood still. */
export function tellPause(pauseMs: number, logger: Logger, meters: Pick<Meters, 'paused'>): void {
  if (pauseMs < toldPauseMs) return;
  meters.paused(pauseMs);
  logger.info({ pauseMs: Math.round(pauseMs) }, 'the detector stood still; nothing is judged by that time');
}

export interface SchedulerOptions {
  readonly timers: Timers;
  readonly monoMs: () => number;
  /** The work of one tick. Synchronous: two ticks never overlap. */
  readonly work: () => void;
  /** A tick threw. The next one is tried all the same; until one succeeds the age grows. */
  readonly onError: (error: unknown) => void;
  /** How long a tick took, ms, and how late it began. */
  readonly onTick: (durationMs: number, lateMs: number) => void;
}

/** The 1 s tick, and how long ago the last one succeeded. */
export class Scheduler {
  readonly #options: SchedulerOptions;
  #lastMs: number;
  #startedMs: number;
  #lastError: string | undefined;
  #stop: (() => void) | undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#lastMs = options.monoMs();
    this.#startedMs = this.#lastMs;
  }

  start(): void {
    this.#lastMs = this.#options.monoMs();
    this.#stop = this.#options.timers.every(tickMs, () => this.tick());
  }

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  tick(): void {
    const startedMs = this.#options.monoMs();
    const lateMs = startedMs - this.#startedMs - tickMs;
    this.#startedMs = startedMs;
    try {
      this.#options.work();
    } catch (error) {
      this.#lastError = error instanceof Error ? error.message : String(error);
      this.#options.onError(error);
      return;
    }
    this.#lastError = undefined;
    this.#lastMs = this.#options.monoMs();
    this.#options.onTick(this.#lastMs - startedMs, lateMs);
  }

  /** Since the last tick that succeeded, ms. */
  get ageMs(): number {
    return this.#options.monoMs() - this.#lastMs;
  }

  /** Why the last tick failed; undefined where it did not. */
  get lastError(): string | undefined {
    return this.#lastError;
  }

  get standsStill(): boolean {
    return this.ageMs > maxAgeTicks * tickMs;
  }
}
