import type { Timers } from './horizon.ts';

interface Due {
  atMs: number;
  readonly everyMs: number | undefined;
  readonly run: () => void;
}

/** Timers that a test moves by hand. */
export class HandTimers implements Timers {
  nowMs = 0;
  readonly #due: Set<Due> = new Set();

  every(ms: number, run: () => void): () => void {
    return this.#add({ atMs: this.nowMs + ms, everyMs: ms, run });
  }

  after(ms: number, run: () => void): () => void {
    return this.#add({ atMs: this.nowMs + ms, everyMs: undefined, run });
  }

  get size(): number {
    return this.#due.size;
  }

  pass(ms: number): void {
    const endMs = this.nowMs + ms;
    for (let next = this.#next(endMs); next !== undefined; next = this.#next(endMs)) {
      this.nowMs = next.atMs;
      if (next.everyMs === undefined) this.#due.delete(next);
      else next.atMs += next.everyMs;
      next.run();
    }
    this.nowMs = endMs;
  }

  #next(endMs: number): Due | undefined {
    let first: Due | undefined;
    for (const due of this.#due)
      if (due.atMs <= endMs && (first === undefined || due.atMs < first.atMs)) first = due;
    return first;
  }

  #add(due: Due): () => void {
    this.#due.add(due);
    return () => this.#due.delete(due);
  }
}
