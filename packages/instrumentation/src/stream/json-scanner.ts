import { Carry } from './carry.ts';
import type { PayloadSink } from './sse-scanner.ts';

const quote = 34;
const backslash = 92;
const openBrace = 123;
const closeBrace = 125;

/**
 * Finds the objects of a JSON stream in raw bytes: one a line (Ollama), or elements of an array that is sent piece by
 * piece (Gemini without `alt=sse`). What stands between the objects does not matter.
 */
export class JsonScanner {
  readonly #sink: PayloadSink;
  readonly #carry: Carry = new Carry();
  #depth = 0;
  #inString = false;
  #escaped = false;
  #overlong = false;

  constructor(sink: PayloadSink) {
    this.#sink = sink;
  }

  push(bytes: Uint8Array): void {
    let start = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === backslash) this.#escaped = true;
        else if (byte === quote) this.#inString = false;
      } else if (byte === quote) {
        this.#inString = this.#depth > 0;
      } else if (byte === openBrace) {
        if (this.#depth === 0) start = at;
        this.#depth++;
      } else if (byte === closeBrace && this.#depth > 0) {
        this.#depth--;
        if (this.#depth === 0) this.#object(bytes, start, at + 1);
      }
    }
    if (this.#depth > 0) this.#keep(bytes, start);
  }

  #keep(bytes: Uint8Array, start: number): void {
    if (this.#overlong) {
      this.#sink.more();
      return;
    }
    if (this.#carry.add(bytes, start, bytes.length)) return;
    this.#overlong = true;
    this.#sink.data(this.#carry.bytes, 0, this.#carry.length, false);
    this.#carry.clear();
  }

  #object(bytes: Uint8Array, start: number, end: number): void {
    if (this.#overlong) {
      this.#overlong = false;
      this.#sink.more();
      return;
    }
    if (this.#carry.length === 0) {
      this.#sink.data(bytes, start, end, true);
      return;
    }
    const whole = this.#carry.add(bytes, start, end);
    this.#sink.data(this.#carry.bytes, 0, this.#carry.length, whole);
    this.#carry.clear();
  }
}
