import type { Phase } from './signal.ts';

/**
 * The longest time without activity in the phase that a turn is in. Told at each chunk, so it only compares and stores;
 * somebody hears of it once a phase. Instants on the turn clock.
 */
export class PhaseGap {
  /** Called at the end of each phase. */
  onEnd: ((phase: Phase, largestMs: number) => void) | undefined;
  #fromA: number;
  #largestMs = 0;

  constructor(startedA: number) {
    this.#fromA = startedA;
  }

  /** Activity: the time since the one before is a gap. */
  measure(a: number): void {
    const gapMs = a - this.#fromA;
    if (gapMs > this.#largestMs) this.#largestMs = gapMs;
    this.#fromA = a;
  }

  /** What was before is no gap: the clock stood still, for a wait. */
  skip(a: number): void {
    if (a > this.#fromA) this.#fromA = a;
  }

  /** `phase` is over, and the next begins. */
  end(phase: Phase, a: number): void {
    this.onEnd?.(phase, this.#largestMs);
    this.#largestMs = 0;
    this.skip(a);
  }

  /** The turn is over with all its phases, in silence maybe. */
  close(phase: Phase, a: number, isWaiting: boolean): void {
    if (!isWaiting) this.measure(a);
    this.end(phase, a);
    this.onEnd = undefined;
  }
}
