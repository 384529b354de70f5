const longestStepMs = 1500;

/** How long the main loop has been stuck, in awake time, as a worker sees it that looks once a second. */
export class LoopAge {
  #beats: number;
  #monoMs: number;
  #ageMs = 0;

  constructor(beats: number, monoMs: number) {
    this.#beats = beats;
    this.#monoMs = monoMs;
  }

  /** @param beats how often the main loop has beaten so far. */
  look(beats: number, monoMs: number): number {
    // A host that sleeps stops both threads: one look never adds more than the awake clock does.
    const stepMs = Math.min(longestStepMs, Math.max(0, monoMs - this.#monoMs));
    this.#ageMs = beats === this.#beats ? this.#ageMs + stepMs : 0;
    this.#beats = beats;
    this.#monoMs = monoMs;
    return this.#ageMs;
  }
}
