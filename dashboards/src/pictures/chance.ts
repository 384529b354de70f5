/** The same numbers for the same seed: pictures of two versions differ by what was changed. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 to below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  is(share: number): boolean {
    return this.next() < share;
  }

  between(from: number, to: number): number {
    return from + (to - from) * this.next();
  }

  /** Mostly near `from`, seldom near `to`. */
  tail(from: number, to: number): number {
    return from * (to / from) ** (this.next() ** 3);
  }
}
