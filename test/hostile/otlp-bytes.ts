// Protobuf as no exporter writes it.

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return [...bytes, rest];
}

/** A length-delimited field. */
export function field(number: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Uint8Array.from([(number << 3) | 2, ...varint(body.length)]), body]);
}

/** So many bytes of one unit again and again. */
export function repeated(unit: string | readonly number[], bytes: number): Buffer {
  const one = Buffer.from(unit as string);
  return Buffer.alloc(bytes - (bytes % one.length), one);
}

export const text = (value: string): Buffer => Buffer.from(value);
/** A KeyValue with a string. */
export const attribute = (key: string, value: Uint8Array): Buffer =>
  Buffer.concat([field(1, text(key)), field(2, field(1, value))]);
/** A logs request with one record of these fields. */
export const oneRecord = (...fields: readonly Uint8Array[]): Buffer =>
  field(1, field(2, field(2, Buffer.concat(fields))));

/** Lists in lists: sizes from the inside out, bytes from the outside in. */
export function nested(levels: number): Buffer {
  const heads: number[][] = [];
  let size = 0;
  for (let depth = 0; depth < levels; depth++) {
    const head = [depth % 2 === 0 ? 0x0a : 0x2a, ...varint(size)];
    size += head.length;
    heads.push(head);
  }
  return Buffer.from(heads.reverse().flat());
}
