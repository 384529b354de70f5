/** Timers that never keep the process alive. Each returns what stops it. */
export interface Timers {
  every(ms: number, run: () => void): () => void;
  after(ms: number, run: () => void): () => void;
}

const longestMs = 2 ** 31 - 1;

/**
 * Fires once when a deadline has passed. A timer alone does not do: it stands still while the host sleeps and cannot
 * reach beyond 24 days, so that `check` is called at every beat too.
 */
export class Horizon {
  readonly #leftMs: () => number;
  readonly #fire: () => void;
  readonly #timers: Timers;
  #stop: () => void;
  #over = false;

  constructor(timers: Timers, leftMs: () => number, fire: () => void) {
    this.#timers = timers;
    this.#leftMs = leftMs;
    this.#fire = fire;
    this.#stop = this.#arm();
  }

  check(): void {
    if (this.#over || this.#leftMs() > 0) return;
    this.cancel();
    this.#fire();
  }

  cancel(): void {
    this.#over = true;
    this.#stop();
  }

  #arm(): () => void {
    return this.#timers.after(Math.min(longestMs, Math.max(1, Math.ceil(this.#leftMs()))), () => {
      this.check();
      if (!this.#over) this.#stop = this.#arm();
    });
  }
}
