export interface BucketSize {
  /** Refill. */
  readonly perSecond: number;
  /** What may be taken at once after a rest. */
  readonly burst: number;
}

/**
 * An allowance that refills with time. What a batch costs is known only when the work is done, so it is charged
 * afterwards and may leave a debt: then nothing is let in until the debt is paid off.
 */
export class TokenBucket {
  readonly #size: BucketSize;
  #left: number;
  #atMs: number;

  constructor(size: BucketSize, nowMs: number) {
    this.#size = size;
    this.#left = size.burst;
    this.#atMs = nowMs;
  }

  /** Something is left to spend. */
  open(nowMs: number): boolean {
    this.#refill(nowMs);
    return this.#left > 0;
  }

  /** As it was made: nothing needs to be remembered of it. */
  full(nowMs: number): boolean {
    this.#refill(nowMs);
    return this.#left >= this.#size.burst;
  }

  charge(amount: number, nowMs: number): void {
    this.#refill(nowMs);
    this.#left -= amount;
  }

  #refill(nowMs: number): void {
    const { perSecond, burst } = this.#size;
    this.#left = Math.min(burst, this.#left + (Math.max(0, nowMs - this.#atMs) / 1000) * perSecond);
    this.#atMs = nowMs;
  }
}
