import { Carry } from './carry.ts';

/** What a scanner found. The bytes are only lent: they are good until the call returns. */
export interface PayloadSink {
  /** @param whole false: the line is longer than what is kept, and this is its head. */
  data(bytes: Uint8Array, start: number, end: number, whole: boolean): void;
  /** More of a line whose head was handed out before. */
  more(): void;
}

export interface SseSink extends PayloadSink {
  /** The text after the colon. */
  comment(bytes: Uint8Array, start: number, end: number): void;
  event(bytes: Uint8Array, start: number, end: number): void;
  /** An empty line: the event is complete. */
  dispatch(): void;
}

const lf = 10;
const cr = 13;
const space = 32;
const colon = 58;
const dataField = [100, 97, 116, 97] as const;
const eventField = [101, 118, 101, 110, 116] as const;
const bom = [0xef, 0xbb, 0xbf] as const;

/**
 * Finds the lines of a server-sent-event stream in raw bytes, wherever chunks cut them, with any of the three line ends.
 * Decodes nothing, and copies only what a chunk border has cut.
 */
export class SseScanner {
  readonly #sink: SseSink;
  readonly #carry: Carry = new Carry();
  #overlong = false;
  #overlongIsData = false;
  #skipLf = false;
  #bomSeen = 0;

  constructor(sink: SseSink) {
    this.#sink = sink;
  }

  push(bytes: Uint8Array): void {
    const end = bytes.length;
    if (end === 0) return;
    let at = this.#bomSeen < bom.length ? this.#pastBom(bytes) : 0;
    if (this.#skipLf && at < end) {
      this.#skipLf = false;
      if (bytes[at] === lf) at++;
    }
    let nextCr = bytes.indexOf(cr, at);
    while (at < end) {
      const nextLf = bytes.indexOf(lf, at);
      if (nextCr !== -1 && nextCr < at) nextCr = bytes.indexOf(cr, at);
      const endsInCr = nextCr !== -1 && (nextLf === -1 || nextCr < nextLf);
      const lineEnd = endsInCr ? nextCr : nextLf;
      if (lineEnd === -1) {
        this.#keep(bytes, at, end);
        return;
      }
      this.#line(bytes, at, lineEnd);
      at = lineEnd + 1;
      if (!endsInCr) continue;
      if (at === end) this.#skipLf = true;
      else if (bytes[at] === lf) at++;
    }
  }

  /** The stream is over: a last line without a line end counts too, as clients have it. */
  end(): void {
    if (this.#carry.length > 0 || this.#overlong) this.#line(this.#carry.bytes, 0, 0);
  }

  #pastBom(bytes: Uint8Array): number {
    let at = 0;
    while (at < bytes.length && this.#bomSeen < bom.length) {
      if (bytes[at] !== bom[this.#bomSeen]) {
        this.#bomSeen = bom.length;
        break;
      }
      this.#bomSeen++;
      at++;
    }
    return at;
  }

  #keep(bytes: Uint8Array, start: number, end: number): void {
    if (this.#overlong) {
      if (this.#overlongIsData) this.#sink.more();
      return;
    }
    if (this.#carry.add(bytes, start, end)) return;
    this.#overlong = true;
    this.#overlongIsData = isField(this.#carry.bytes, 0, this.#carry.length, dataField);
    this.#hand(this.#carry.bytes, 0, this.#carry.length, false);
    this.#carry.clear();
  }

  #line(bytes: Uint8Array, start: number, end: number): void {
    if (this.#overlong) {
      this.#overlong = false;
      if (this.#overlongIsData) this.#sink.more();
      return;
    }
    if (this.#carry.length === 0) {
      this.#hand(bytes, start, end, true);
      return;
    }
    const whole = this.#carry.add(bytes, start, end);
    this.#hand(this.#carry.bytes, 0, this.#carry.length, whole);
    this.#carry.clear();
  }

  #hand(bytes: Uint8Array, start: number, end: number, whole: boolean): void {
    if (start === end) this.#sink.dispatch();
    else if (bytes[start] === colon) this.#sink.comment(bytes, start + 1, end);
    else if (isField(bytes, start, end, dataField))
      this.#sink.data(bytes, valueStart(bytes, start + dataField.length, end), end, whole);
    else if (isField(bytes, start, end, eventField))
      this.#sink.event(bytes, valueStart(bytes, start + eventField.length, end), end);
    // `id`, `retry` and what is no field at all say nothing about life.
  }
}

function isField(bytes: Uint8Array, start: number, end: number, name: readonly number[]): boolean {
  const { length } = name;
  if (end - start < length) return false;
  for (let at = 0; at < length; at++) if (bytes[start + at] !== name[at]) return false;
  return end - start === length || bytes[start + length] === colon;
}

function valueStart(bytes: Uint8Array, nameEnd: number, end: number): number {
  const start = Math.min(nameEnd + 1, end);
  return start < end && bytes[start] === space ? start + 1 : start;
}
