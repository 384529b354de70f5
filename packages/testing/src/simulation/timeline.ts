/** What happens at one instant of simulated time, in the order in which it was put there. */
interface Entry {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
}

/** Simulated time: events at instants, run in order. Nothing waits; a day takes as long as its events. */
export class Timeline {
  #entries: Entry[] = [];
  #order = 0;
  #nowMs = 0;

  get nowMs(): number {
    return this.#nowMs;
  }

  /** @throws RangeError for an instant that has passed. */
  at(atMs: number, run: () => void): void {
    if (atMs < this.#nowMs) throw new RangeError(`${atMs} ms has passed: it is ${this.#nowMs} ms`);
    this.#push({ atMs, order: this.#order++, run });
  }

  after(inMs: number, run: () => void): void {
    this.at(this.#nowMs + inMs, run);
  }

  /** Runs everything up to and at `untilMs`. */
  runUntil(untilMs: number): void {
    for (
      let first = this.#entries[0];
      first !== undefined && first.atMs <= untilMs;
      first = this.#entries[0]
    ) {
      this.#pop();
      this.#nowMs = first.atMs;
      first.run();
    }
    this.#nowMs = Math.max(this.#nowMs, untilMs);
  }

  #push(entry: Entry): void {
    const heap = this.#entries;
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const up = (at - 1) >> 1;
      const above = heap[up];
      if (above === undefined || !before(entry, above)) break;
      heap[at] = above;
      at = up;
    }
    heap[at] = entry;
  }

  #pop(): void {
    const heap = this.#entries;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let down = 2 * at + 1;
      const left = heap[down];
      if (left === undefined) break;
      const right = heap[down + 1];
      const least = right !== undefined && before(right, left) ? right : left;
      if (least === right) down++;
      if (!before(least, last)) break;
      heap[at] = least;
      at = down;
    }
    heap[at] = last;
  }
}

function before(a: Entry, b: Entry): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
