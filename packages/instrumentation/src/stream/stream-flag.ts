// Cut pieces overlap by this much, so that a flag across a border is found.
const overlap = 24;
const flag = /"stream"\s*:\s*(true|false)/;

/**
 * Whether the body of a request asks for a stream. A key in a prompt is no match: its quotes are escaped there. Only text
 * is looked at, none is kept but the end of the last piece.
 */
export class StreamFlag {
  #tail = '';
  /** `undefined`: the body has not said so far. */
  value: boolean | undefined;

  push(piece: string | Uint8Array): void {
    if (this.value !== undefined) return;
    const text =
      typeof piece === 'string'
        ? piece
        : Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString('latin1');
    const found = flag.exec(this.#tail + text)?.[1];
    if (found !== undefined) this.value = found === 'true';
    this.#tail = text.slice(-overlap);
  }
}
