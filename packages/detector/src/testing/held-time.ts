import type { Clocks, Timers } from '../clocks.ts';

/** Clocks that stand still until a test moves them. */
export class HeldClocks implements Clocks {
  #ms = 0;
  readonly #startMs: number;

  constructor(startMs: number = Date.UTC(2026, 10, 30, 12)) {
    this.#startMs = startMs;
  }

  advance(ms: number): void {
    this.#ms += ms;
  }

  monoMs(): number {
    return this.#ms;
  }

  bootMs(): number {
    return this.#ms;
  }

  wallMs(): number {
    return this.#startMs + this.#ms;
  }
}

/** No tick by itself; what is to happen soon or after sockets have spoken happens in real time. */
export const heldTimers: Timers = {
  every: () => () => undefined,
  soon: (work) => void setImmediate(work),
  after(ms, work) {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};
