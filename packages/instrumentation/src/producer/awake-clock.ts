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
  /** Goes on from there. Default: starts at 0. */
  readonly from?: AwakeState;
}

/** A producer's turn clock, whoever advances it. */
export interface TurnClock {
  /** Once every `tickMs`; late calls are what it is made for. */
  tick(loopAgeMs?: number): void;
  /** The turn clock, ms. */
  now(): number;
  /** Awake time with a blocked main loop counted, as of the last tick: what bounds lists is not held up by a block. */
  readonly awakeMs: number;
  /** Last wake after a long pause, on the turn clock. */
  readonly wokeA: number | undefined;
  bootMs(): number;
  wallMs(): number;
}

/** All that an awake clock knows, as of its last tick: another thread reads the clock from it, or goes on with it. */
export interface AwakeState {
  readonly awakeMs: number;
  /** Awake time in which the main loop stood still. */
  readonly stuckMs: number;
  readonly tickMonoMs: number;
  readonly tickBootMs: number;
  /** The most that the clock may go on before the next tick. */
  readonly capMs: number;
  readonly wokeA: number | undefined;
}

/** Older than this, the main loop counts as blocked: it cannot read its sockets, so turns are not silent (RULES 1). */
const blockedAfterMs = 5000;
const slackMs = 500;

/**
 * The producer's turn clock: how long the process was awake with a running main loop. `A += min(dMono, tick + 0.5 s)` a
 * tick, so that host sleep, SIGSTOP, a paused VM and a blocked loop never become silence, on any operating system and
 * without any sleep detection (002: a 99 s sleep looked like 99 s of silence). Wall-clock steps never count.
 */
export class AwakeClock implements TurnClock {
  readonly #clock: ProducerClock;
  readonly #tickMs: number;
  readonly #capMs: number;
  readonly #longPauseMs: number;
  #awakeMs: number;
  #stuckMs: number;
  #tickMonoMs: number;
  #tickBootMs: number;
  #capNowMs: number;
  #wokeA: number | undefined;
  #latestMs = 0;

  constructor(clock: ProducerClock, options: AwakeClockOptions = {}) {
    const { from } = options;
    this.#clock = clock;
    this.#tickMs = options.tickMs ?? 1000;
    this.#capMs = this.#tickMs + slackMs;
    this.#longPauseMs = options.longPauseMs ?? 60_000;
    this.#awakeMs = from?.awakeMs ?? 0;
    this.#stuckMs = from?.stuckMs ?? 0;
    this.#tickMonoMs = from?.tickMonoMs ?? clock.monoMs();
    this.#tickBootMs = from?.tickBootMs ?? this.bootMs();
    this.#capNowMs = from?.capMs ?? this.#capMs;
    this.#wokeA = from?.wokeA;
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
    this.#capNowMs = Math.min(this.#capMs, Math.max(0, blockedAfterMs - loopAgeMs));
    const pauseMs = Math.max(0, dMono - this.#tickMs) + Math.max(0, dBoot - dMono);
    if (pauseMs >= this.#longPauseMs) this.#wokeA = this.now();
  }

  /** The turn clock, ms. Between ticks it goes on, never past what the next tick may add, and never back. */
  now(): number {
    const sinceMs = this.#clock.monoMs() - this.#tickMonoMs;
    const capMs = this.#capNowMs;
    const a = this.#awakeMs - this.#stuckMs + (sinceMs > capMs ? capMs : Math.max(sinceMs, 0));
    if (a > this.#latestMs) this.#latestMs = a;
    return this.#latestMs;
  }

  state(): AwakeState {
    return {
      awakeMs: this.#awakeMs,
      stuckMs: this.#stuckMs,
      tickMonoMs: this.#tickMonoMs,
      tickBootMs: this.#tickBootMs,
      capMs: this.#capNowMs,
      wokeA: this.#wokeA,
    };
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
