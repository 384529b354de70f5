const encoder = new TextEncoder();

/** Protobuf bytes into one growing buffer; the length of a message is put in when it is known. */
export class ProtobufWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView;
  #pos = 0;

  constructor(capacity = 1024) {
    this.#bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.#bytes.buffer);
  }

  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#pos);
  }

  message(field: number, body: () => void): void {
    this.varint((field << 3) | 2);
    const start = ++this.#pos;
    this.#room(0);
    body();
    const length = this.#pos - start;
    // One byte was left for the length; a longer one moves the message along.
    const extra = varintLength(length) - 1;
    if (extra > 0) {
      this.#room(extra);
      this.#bytes.copyWithin(start + extra, start, this.#pos);
    }
    this.#pos = start - 1;
    this.varint(length);
    this.#pos += length;
  }

  string(field: number, text: string): void {
    this.message(field, () => {
      this.#room(text.length * 3);
      this.#pos += encoder.encodeInto(text, this.#bytes.subarray(this.#pos)).written;
    });
  }

  /** Bytes given as hex digits. */
  hex(field: number, digits: string): void {
    this.message(field, () => {
      this.#room(digits.length / 2);
      for (let at = 0; at + 1 < digits.length; at += 2)
        this.#bytes[this.#pos++] = Number.parseInt(digits.slice(at, at + 2), 16);
    });
  }

  /** An int64 that is a safe integer. */
  int64(field: number, value: number): void {
    this.varint(field << 3);
    if (value >= 0) {
      this.varint(value);
      return;
    }
    let rest = BigInt.asUintN(64, BigInt(value));
    this.#room(10);
    for (; rest > 0x7fn; rest >>= 7n) this.#bytes[this.#pos++] = Number(rest & 0x7fn) | 0x80;
    this.#bytes[this.#pos++] = Number(rest);
  }

  bool(field: number, value: boolean): void {
    this.varint(field << 3);
    this.varint(value ? 1 : 0);
  }

  double(field: number, value: number): void {
    this.varint((field << 3) | 1);
    this.#room(8);
    this.#view.setFloat64(this.#pos, value, true);
    this.#pos += 8;
  }

  /** ns since the epoch of an instant in ms, as a fixed64. */
  nanos(field: number, ms: number): void {
    this.varint((field << 3) | 1);
    this.#room(8);
    const nanos = BigInt(Math.floor(ms)) * 1_000_000n + BigInt(Math.round((ms % 1) * 1e6));
    this.#view.setBigUint64(this.#pos, BigInt.asUintN(64, nanos), true);
    this.#pos += 8;
  }

  /** 0 or more, whole, below 2^53. */
  varint(value: number): void {
    this.#room(10);
    let rest = value;
    while (rest > 0x7f) {
      this.#bytes[this.#pos++] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#pos++] = rest;
  }

  #room(size: number): void {
    const needed = this.#pos + size + 16;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.#bytes);
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}

function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) length++;
  return length;
}
