import { longestKept } from './carry.ts';
import { jsonOf } from './json-value.ts';

/** The body of an answer that is not streamed, kept up to a bound so that its usage can be read at its end. */
export class WholeBody {
  #pieces: Uint8Array[] = [];
  #length = 0;
  #begun = false;

  /** False: nothing but blanks before the answer, which some providers send to keep the connection alive. */
  push(bytes: Uint8Array): boolean {
    this.#begun ||= bytes.some((byte) => byte > 32);
    if (!this.#begun) return false;
    this.#length += bytes.length;
    if (this.#length > longestKept) this.#pieces = [];
    // A copy: what was given belongs to the stream.
    else this.#pieces.push(bytes.slice());
    return true;
  }

  /** `undefined`: too long to be kept, or no JSON. */
  json(): unknown {
    if (this.#pieces.length === 0) return undefined;
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces = [];
    return jsonOf(bytes, 0, bytes.length);
  }
}
