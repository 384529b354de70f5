/** The clocks of a simulated machine. True time runs on in the timeline; each clock sees it its own way. */
export class HostClock {
  readonly #nowMs: () => number;
  readonly #epochMs: number;
  #wallShiftMs = 0;
  #sleptMs = 0;
  #asleepSinceMs: number | undefined;

  constructor(nowMs: () => number, epochMs: number) {
    this.#nowMs = nowMs;
    this.#epochMs = epochMs;
  }

  /** Includes sleep. */
  bootMs(): number {
    return this.#nowMs();
  }

  /** Stands still while the host sleeps, as on Linux. */
  monoMs(): number {
    const sleeping = this.#asleepSinceMs === undefined ? 0 : this.#nowMs() - this.#asleepSinceMs;
    return this.#nowMs() - this.#sleptMs - sleeping;
  }

  wallMs(): number {
    return this.#epochMs + this.#nowMs() + this.#wallShiftMs;
  }

  step(byMs: number): void {
    this.#wallShiftMs += byMs;
  }

  sleep(): void {
    this.#asleepSinceMs ??= this.#nowMs();
  }

  wake(): void {
    if (this.#asleepSinceMs === undefined) return;
    this.#sleptMs += this.#nowMs() - this.#asleepSinceMs;
    this.#asleepSinceMs = undefined;
  }
}
