// Cut pieces overlap by this much, so that a name across a border is found.
const overlap = 256;
const named = /"model"\s*:\s*"([^"\\]{1,200})"/;
/** Gemini's: `/v1beta/models/gemini-3-pro:streamGenerateContent`. */
const inPath = /\/models\/([^/:]+):/;

/** The model that a request asks for, from its path or its body. Text of a prompt is no match: its quotes are escaped. */
export class ModelName {
  #tail = '';
  /** `undefined`: not said so far. */
  value: string | undefined;

  constructor(path: string) {
    this.value = inPath.exec(path)?.[1];
  }

  push(piece: string | Uint8Array): void {
    if (this.value !== undefined) return;
    const text =
      typeof piece === 'string'
        ? piece
        : Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString('latin1');
    this.value = named.exec(this.#tail + text)?.[1];
    this.#tail = text.slice(-overlap);
  }
}
