/** Clocks of the producer's process, all in ms. */
export interface ProducerClock {
  /** Monotonic. It may include host sleep (macOS, Windows) or not (Linux). */
  monoMs(): number;
  /** Monotonic and going on while the host sleeps. Absent: `monoMs` is taken. */
  bootMs?(): number;
  /** Since the epoch. Shown and sent, never judged by. */
  wallMs(): number;
}

export interface AwakeClockOptions {
  /** How often `tick` is called. Default 1000. */
  readonly tickMs?: number;
  /** A pause this long restarts every silence window (`wokeA`); a shorter one is only credited. Default 60 000. */
  readonly longPauseMs?: number;
}

/** Older than this, the main loop counts as blocked: it cannot read its sockets, so turns are not silent (RULES 1). */
const blockedAfterMs = 5000;
const slackMs = 500;

/**
 * The producer's turn clock: how long the process was awake with a running main loop. `A += min(dMono, tick + 0.5 s)` a
 * tick, so that host sleep, SIGSTOP, a paused VM and a blocked loop never become silence, on any operating system and
 * without any sleep detection (002: a 99 s sleep looked like 99 s of silence). Wall-clock steps never count.
 */
export class AwakeClock {
  readonly #clock: ProducerClock;
  readonly #tickMs: number;
  readonly #capMs: number;
  readonly #longPauseMs: number;
  #awakeMs = 0;
  /** Awake time in which the main loop stood still. */
  #stuckMs = 0;
  #tickMonoMs: number;
  #tickBootMs: number;
  #latestMs = 0;
  #wokeA: number | undefined;

  constructor(clock: ProducerClock, options: AwakeClockOptions = {}) {
    this.#clock = clock;
    this.#tickMs = options.tickMs ?? 1000;
    this.#capMs = this.#tickMs + slackMs;
    this.#longPauseMs = options.longPauseMs ?? 60_000;
    this.#tickMonoMs = clock.monoMs();
    this.#tickBootMs = this.bootMs();
  }

  /**
   * Once every `tickMs`; late calls are what it is made for.
   *
   * @param loopAgeMs how long the main loop has been stuck, awake time, as a worker thread sees it. Default 0.
   */
  tick(loopAgeMs = 0): void {
    const monoMs = this.#clock.monoMs();
    const bootMs = this.bootMs();
    const dMono = Math.max(0, monoMs - this.#tickMonoMs);
    const dBoot = Math.max(0, bootMs - this.#tickBootMs);
    const dAwake = Math.min(dMono, this.#capMs);
    this.#awakeMs += dAwake;
    this.#stuckMs += Math.min(dAwake, Math.max(0, loopAgeMs - blockedAfterMs));
    this.#tickMonoMs = monoMs;
    this.#tickBootMs = bootMs;
    const pauseMs = Math.max(0, dMono - this.#tickMs) + Math.max(0, dBoot - dMono);
    if (pauseMs >= this.#longPauseMs) this.#wokeA = this.now();
  }

  /** The turn clock, ms. Between ticks it goes on, never past what the next tick may add, and never back. */
  now(): number {
    const sinceMs = this.#clock.monoMs() - this.#tickMonoMs;
    const a = this.#awakeMs - this.#stuckMs + (sinceMs > this.#capMs ? this.#capMs : Math.max(sinceMs, 0));
    if (a > this.#latestMs) this.#latestMs = a;
    return this.#latestMs;
  }

  /** Awake time with a blocked main loop counted, as of the last tick: what bounds lists is not held up by a block. */
  get awakeMs(): number {
    return this.#awakeMs;
  }

  /** Last wake after a long pause, on the turn clock. */
  get wokeA(): number | undefined {
    return this.#wokeA;
  }

  bootMs(): number {
    return this.#clock.bootMs?.() ?? this.#clock.monoMs();
  }

  wallMs(): number {
    return this.#clock.wallMs();
  }
}
