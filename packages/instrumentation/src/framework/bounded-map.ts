/** A map that forgets its oldest entry rather than grow: what is never ended must not fill the memory. */
export class BoundedMap<Key, Value> {
  readonly #entries: Map<Key, Value> = new Map();
  readonly #max: number;
  readonly #forgotten: (value: Value) => void;

  constructor(max: number, forgotten: (value: Value) => void = () => undefined) {
    this.#max = max;
    this.#forgotten = forgotten;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key | undefined): Value | undefined {
    return key === undefined ? undefined : this.#entries.get(key);
  }

  set(key: Key, value: Value): void {
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#max) return;
    const [oldest] = this.#entries;
    if (oldest === undefined) return;
    this.#entries.delete(oldest[0]);
    this.#forgotten(oldest[1]);
  }

  /** Gives the entry for the last time. */
  take(key: Key | undefined): Value | undefined {
    if (key === undefined) return undefined;
    const value = this.#entries.get(key);
    this.#entries.delete(key);
    return value;
  }

  /** Gives all entries for the last time. */
  takeAll(): Value[] {
    const values = [...this.#entries.values()];
    this.#entries.clear();
    return values;
  }
}
