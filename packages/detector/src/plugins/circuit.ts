const failuresToOpen = 5;
const firstPauseMs = 10_000;
const longestPauseMs = 600_000;

/** Leaves a plugin alone for a while that fails on everything, then tries once more. */
export class Circuit {
  readonly #monoMs: () => number;
  #failures = 0;
  #pauseMs = 0;
  #openUntilMs = Number.NEGATIVE_INFINITY;

  constructor(monoMs: () => number) {
    this.#monoMs = monoMs;
  }

  /** It is left alone now. */
  get open(): boolean {
    return this.#monoMs() < this.#openUntilMs;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#pauseMs = 0;
  }

  /** Returns for how long it is left alone from now, ms; 0: it goes on. */
  failed(): number {
    this.#failures++;
    if (this.#failures < failuresToOpen) return 0;
    this.#pauseMs = Math.min(longestPauseMs, this.#pauseMs === 0 ? firstPauseMs : this.#pauseMs * 2);
    this.#openUntilMs = this.#monoMs() + this.#pauseMs;
    return this.#pauseMs;
  }
}
