import type { SenderClock } from './clock.ts';

/** A POST that is older no longer counts: it waits for a slow endpoint, and must hold up no other. */
const slowAfterMs = 1000;
/** But all together never exceed this multiple of the bound. */
const slowFactor = 16;

/** Bounds the POSTs in flight over all endpoints. */
export class FlightLimit {
  readonly #max: number;
  readonly #clock: SenderClock;
  #young = 0;
  #all = 0;

  constructor(max: number, clock: SenderClock) {
    this.#max = max;
    this.#clock = clock;
  }

  get hasRoom(): boolean {
    return this.#young < this.#max && this.#all < this.#max * slowFactor;
  }

  /**
   * One more is in flight; the answer ends that.
   * @param onSlow it counts no longer as young: there may be room for others
   */
  takeOff(onSlow: () => void): () => void {
    this.#young++;
    this.#all++;
    let young = true;
    const age = (): void => {
      if (young) this.#young--;
      young = false;
    };
    const cancel = this.#clock.setTimer(() => {
      age();
      onSlow();
    }, slowAfterMs);
    return () => {
      cancel();
      age();
      this.#all--;
    };
  }
}
