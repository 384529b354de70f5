import type { SenderClock } from './clock.ts';

interface Timer {
  readonly atMs: number;
  readonly fn: () => void;
}

/** Time that only goes when told to. */
export class SimulatedClock implements SenderClock {
  #nowMs: number;
  readonly #timers = new Set<Timer>();

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  setTimer(fn: () => void, delayMs: number): () => void {
    const timer = { atMs: this.#nowMs + delayMs, fn };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Runs every timer up to then, in order, and lets promises settle after each. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      await settle();
      const next = [...this.#timers]
        .filter((timer) => timer.atMs <= untilMs)
        .sort((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.fn();
    }
    this.#nowMs = untilMs;
  }
}

// A macrotask: all promise callbacks that can run have run.
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
