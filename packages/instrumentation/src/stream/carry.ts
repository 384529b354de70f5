/** Longest part of one line or object that is kept, bytes. */
export const longestKept: number = 64 * 1024;

const firstSize = 1024;

/** The head of a line that a chunk border has cut, until its rest comes. Grows when it has to and is used again. */
export class Carry {
  #bytes: Uint8Array = new Uint8Array(0);
  length = 0;

  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** False: it would be longer than what is kept; nothing more was taken than fits. */
  add(from: Uint8Array, start: number, end: number): boolean {
    const fits = Math.min(end - start, longestKept - this.length);
    const length = this.length + fits;
    if (length > this.#bytes.length) this.#grow(length);
    // Short pieces by hand: a view made for `set` costs more than the copy.
    if (fits < 64)
      for (let at = 0; at < fits; at++) this.#bytes[this.length + at] = from[start + at] as number;
    else this.#bytes.set(from.subarray(start, start + fits), this.length);
    this.length = length;
    return fits === end - start;
  }

  clear(): void {
    this.length = 0;
  }

  #grow(length: number): void {
    let size = Math.max(firstSize, this.#bytes.length);
    while (size < length) size *= 2;
    const grown = new Uint8Array(size);
    grown.set(this.#bytes.subarray(0, this.length));
    this.#bytes = grown;
  }
}
