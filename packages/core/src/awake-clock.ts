import type { AwakeMs } from './time.ts';

/** What an {@link AwakeClock} reads. Both in milliseconds, from any zero. */
export interface AwakeClockSource {
  /** A monotonic clock. It may include host sleep (macOS, Windows) or not (Linux). */
  monoMs(): number;
  /** A monotonic clock that includes host sleep. Where there is none, the same as `monoMs`. */
  bootMs(): number;
}

export interface Tick {
  /** How long the process or its host stood still before this tick, ms; 0 on a healthy tick. */
  readonly pauseMs: number;
}

const slackMs = 500;

/**
 * How long this process has been awake: `A += min(dMono, tick + 0.5 s)` at each tick. No tick can add more, on any
 * operating system, so that host sleep, SIGSTOP, a paused VM and a blocked loop never become silence (RULES 1). There is
 * no sleep detection: a test "wall clock against monotonic" cannot work where the monotonic clock includes sleep, and a
 * wall clock that is set never counts (report 002, point 3).
 */
export class AwakeClock {
  readonly tickMs: number;
  readonly #source: AwakeClockSource;
  #awakeMs: number;
  #monoMs: number;
  #bootMs: number;

  /** @param startMs where to go on from, ms: a restarted detector goes on from its saved clock. */
  constructor(source: AwakeClockSource, startMs = 0, tickMs = 1000) {
    this.#source = source;
    this.tickMs = tickMs;
    this.#awakeMs = startMs;
    this.#monoMs = source.monoMs();
    this.#bootMs = source.bootMs();
  }

  /** To be called every `tickMs`; late calls are what it is made for. */
  tick(): Tick {
    const monoMs = this.#source.monoMs();
    const bootMs = this.#source.bootMs();
    const dMono = Math.max(0, monoMs - this.#monoMs);
    const dBoot = Math.max(0, bootMs - this.#bootMs);
    this.#awakeMs += Math.min(dMono, this.tickMs + slackMs);
    this.#monoMs = monoMs;
    this.#bootMs = bootMs;
    return { pauseMs: Math.max(0, dMono - this.tickMs - slackMs) + Math.max(0, dBoot - dMono) };
  }

  /** Between ticks the clock goes on, but never past what the next tick may add. */
  now(): AwakeMs {
    const since = Math.max(0, this.#source.monoMs() - this.#monoMs);
    return this.#awakeMs + Math.min(since, this.tickMs + slackMs);
  }
}
