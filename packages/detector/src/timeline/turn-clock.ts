import type { TurnSignal } from '@turnwatch/core';

/** A record that comes this much later than the quickest has waited, or its process has slept. */
const sleptMs = 2000;

/** Where a turn's own stamps lie on the detector's wall clock: taken from the record that came quickest. */
export class TurnClock {
  #offsetMs: number | undefined;
  #wokeA = Number.NEGATIVE_INFINITY;

  hear({ origin, report }: Pick<TurnSignal, 'origin' | 'report'>, wallMs: number): void {
    const offsetMs = wallMs - origin.a;
    const wokeA = report?.wokeA ?? Number.NEGATIVE_INFINITY;
    // Its clock stood still while it slept: from there on all of its stamps lie later.
    const slept = wokeA > this.#wokeA && offsetMs - (this.#offsetMs ?? offsetMs) > sleptMs;
    this.#wokeA = Math.max(this.#wokeA, wokeA);
    this.#offsetMs = slept || this.#offsetMs === undefined ? offsetMs : Math.min(this.#offsetMs, offsetMs);
  }

  /** A turn moved to another process: another clock. */
  reset(): void {
    this.#offsetMs = undefined;
  }

  wallOf(a: number): number {
    return a + (this.#offsetMs ?? 0);
  }
}
