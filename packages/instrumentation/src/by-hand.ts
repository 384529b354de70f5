/** What is needed of a request. */
interface Openable {
  readonly isOpen: boolean;
}

/** A request that was opened from outside of its turn's context. */
export interface Handmade<Request> {
  readonly request: Request;
  /** As it was opened: whoever opened it as one that does not stream tells nothing of its content. */
  readonly streaming: boolean;
}

const leastSwept = 64;

/**
 * Requests opened for a turn from outside of its context, as packages for frameworks have to that are only told of starts
 * and ends. A process-wide tap sees their bytes in no turn at all, and must know that they are counted.
 */
export class ByHand<Request extends Openable> {
  readonly #made: Set<Handmade<Request>> = new Set();
  #sweepAt = leastSwept;

  add(request: Request, streaming: boolean): void {
    this.#made.add({ request, streaming });
    if (this.#made.size < this.#sweepAt) return;
    this.#sweep();
    this.#sweepAt = Math.max(leastSwept, this.#made.size * 2);
  }

  open(): readonly Handmade<Request>[] {
    this.#sweep();
    return [...this.#made];
  }

  #sweep(): void {
    for (const made of this.#made) if (!made.request.isOpen) this.#made.delete(made);
  }
}
