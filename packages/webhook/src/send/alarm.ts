import type { SenderClock } from './clock.ts';

/** One timer for the earliest of all instants that are asked for. */
export class Alarm {
  readonly #clock: SenderClock;
  readonly #ring: () => void;
  #atMs = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(clock: SenderClock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Rings at `atMs` (wall clock) at the latest. */
  set(atMs: number): void {
    if (this.#atMs <= atMs) return;
    this.#cancel?.();
    this.#atMs = atMs;
    this.#cancel = this.#clock.setTimer(
      () => {
        this.#atMs = Number.POSITIVE_INFINITY;
        this.#ring();
      },
      Math.max(0, atMs - this.#clock.nowMs()),
    );
  }

  clear(): void {
    this.#cancel?.();
    this.#atMs = Number.POSITIVE_INFINITY;
  }
}
