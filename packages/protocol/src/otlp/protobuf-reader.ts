import { OtlpError } from './error.ts';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
/** Twenty thousand full records have about five million. What has far more was made to keep a core busy. */
const maxFields = 10_000_000;
const hexDigits = '0123456789abcdef';

/** Tags as they stand on the wire: field number and wire type in one. */
export function varintTag(field: number): number {
  return field << 3;
}
export function fixed64Tag(field: number): number {
  return (field << 3) | 1;
}
export function bytesTag(field: number): number {
  return (field << 3) | 2;
}

/**
 * A cursor over protobuf bytes. It never looks behind the end of the message it is in, and skips what it is not asked
 * for by its length, so nesting costs nothing. Throws OtlpError `malformed` for bytes that are no protobuf.
 */
export class ProtobufReader {
  pos: number;
  end: number;
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  #fields = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.pos = 0;
    this.end = bytes.length;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** The tag of the next field, 0 at the end of the message. */
  tag(): number {
    if (this.pos >= this.end) return 0;
    if (++this.#fields > maxFields)
      throw new OtlpError('too_many_records', `more than ${maxFields} fields in one request`);
    const tag = this.size();
    if (tag > 0xffff_ffff || tag < 8) throw this.#malformed('a field number out of range');
    return tag;
  }

  /** A varint that must be a size: exact up to 2^53, larger ones are refused by whoever compares it. */
  size(): number {
    const { bytes, end } = this;
    // Nearly all are of one byte.
    const first = bytes[this.pos] ?? 0x80;
    if (first < 0x80 && this.pos < end) {
      this.pos++;
      return first;
    }
    let value = 0;
    let scale = 1;
    for (let count = 0; count < 10; count++) {
      if (this.pos >= end) throw this.#malformed('a number that is cut off');
      const byte = bytes[this.pos++] ?? 0;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
    throw this.#malformed('a number longer than ten bytes');
  }

  /** An int64; beyond 2^53 as near as a double can be. */
  int64(): number {
    const start = this.pos;
    const value = this.size();
    // Seven bytes hold 49 bits, which a double adds up exactly; negative numbers take all ten.
    if (this.pos - start < 8) return value;
    let exact = 0n;
    for (let at = this.pos - 1; at >= start; at--)
      exact = (exact << 7n) | BigInt((this.bytes[at] ?? 0) & 0x7f);
    return Number(BigInt.asIntN(64, exact));
  }

  /** ms of a fixed64 that counts ns since the epoch; exact, though a double cannot hold the ns. */
  fixed64AsMs(): number {
    const at = this.#take(8);
    const low = this.#view.getUint32(at, true);
    const high = this.#view.getUint32(at + 4, true);
    // 2^32 ns = 4,294 ms and 967,296 ns: no intermediate exceeds 2^53.
    return high * 4294 + Math.floor((high * 967_296 + low) / 1_000_000);
  }

  double(): number {
    return this.#view.getFloat64(this.#take(8), true);
  }

  /** Where a length-delimited field ends; the cursor stands at its first byte. */
  delimited(): number {
    const length = this.size();
    if (length > this.end - this.pos) throw this.#malformed('a length that reaches beyond its message');
    return this.pos + length;
  }

  skip(tag: number): void {
    switch (tag & 7) {
      case 0:
        this.size();
        break;
      case 1:
        this.#take(8);
        break;
      case 2:
        this.pos = this.delimited();
        break;
      case 5:
        this.#take(4);
        break;
      default:
        throw this.#malformed('a wire type that is not in use');
    }
  }

  /** Calls `field` for each field with that tag, the reader narrowed to it; depth is the schema's, never the input's. */
  each(wanted: number, field: () => void): void {
    for (let tag = this.tag(); tag !== 0; tag = this.tag()) {
      if (tag === wanted) this.within(field);
      else this.skip(tag);
    }
  }

  within(field: () => void): void {
    const outer = this.enter();
    field();
    this.leave(outer);
  }

  /** Narrows the reader to the field it is at. @returns what {@link leave} wants afterwards. */
  enter(): number {
    const outer = this.end;
    this.end = this.delimited();
    return outer;
  }

  /** Goes on behind the field that was entered. */
  leave(outer: number): void {
    this.pos = this.end;
    this.end = outer;
  }

  /** Text of at most `maxBytes` of the field that ends at `end`; the cursor moves to `end`. */
  text(end: number, maxBytes: number): string {
    const { bytes, pos: start } = this;
    this.pos = end;
    const stop = Math.min(end, start + maxBytes);
    if (stop - start <= 40) {
      // Most strings are short and ASCII: quicker by hand than by a call into the decoder.
      let text = '';
      let at = start;
      for (; at < stop; at++) {
        const byte = bytes[at] ?? 0;
        if (byte >= 0x80) break;
        text += String.fromCharCode(byte);
      }
      if (at === stop) return text;
    }
    return decoder.decode(bytes.subarray(start, stop));
  }

  /** The field that ends at `end` as lower-case hex; the cursor moves to `end`. Undefined unless it has `length` bytes. */
  hex(end: number, length: number): string | undefined {
    const start = this.pos;
    this.pos = end;
    if (end - start !== length) return undefined;
    let text = '';
    for (let at = start; at < end; at++) {
      const byte = this.bytes[at] ?? 0;
      text += hexDigits.charAt(byte >> 4) + hexDigits.charAt(byte & 15);
    }
    return text;
  }

  #take(length: number): number {
    const at = this.pos;
    if (length > this.end - at) throw this.#malformed('a number that is cut off');
    this.pos = at + length;
    return at;
  }

  #malformed(what: string): OtlpError {
    return new OtlpError('malformed', `not a protobuf message: ${what} at byte ${this.pos}`);
  }
}
