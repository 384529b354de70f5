/** A map that forgets: bounded in size (least recently set goes first) and in age. */
export class Recent<V> {
  readonly #entries = new Map<string, { readonly value: V; readonly atMs: number }>();
  readonly #max: number;
  readonly #maxAgeMs: number;

  constructor(max: number, maxAgeMs: number) {
    this.#max = max;
    this.#maxAgeMs = maxAgeMs;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string, nowMs: number): V | undefined {
    const entry = this.#entries.get(key);
    return entry === undefined || nowMs - entry.atMs > this.#maxAgeMs ? undefined : entry.value;
  }

  set(key: string, value: V, nowMs: number): void {
    // Deleted first, so that the map's order is the order of age.
    this.#entries.delete(key);
    this.#entries.set(key, { value, atMs: nowMs });
    for (const [oldest, { atMs }] of this.#entries) {
      if (this.#entries.size <= this.#max && nowMs - atMs <= this.#maxAgeMs) break;
      this.#entries.delete(oldest);
    }
  }
}
