/** Known names by their bytes: finds the one string of a name without decoding, and without allocating. */
export class NamesTable {
  readonly #slots = new Map<number, { readonly bytes: Uint8Array; readonly name: string }[]>();

  constructor(names: Iterable<string>) {
    const encoder = new TextEncoder();
    for (const name of new Set(names)) {
      const bytes = encoder.encode(name);
      const key = sketch(bytes, 0, bytes.length);
      const slot = this.#slots.get(key) ?? [];
      slot.push({ bytes, name });
      this.#slots.set(key, slot);
    }
  }

  find(buffer: Uint8Array, start: number, end: number): string | undefined {
    const slot = this.#slots.get(sketch(buffer, start, end));
    if (slot === undefined) return undefined;
    for (const entry of slot) if (same(entry.bytes, buffer, start, end)) return entry.name;
    return undefined;
  }
}

/**
 * Length and six bytes, mostly of the end, where names under one prefix differ. Equality is checked afterwards. Written out:
 * it is made for each attribute of each record.
 */
function sketch(buffer: Uint8Array, start: number, end: number): number {
  const length = end - start;
  let key = Math.imul(length, 31) ^ (length >= 1 ? (buffer[end - 1] ?? 0) : 0);
  key = Math.imul(key, 31) ^ (length >= 2 ? (buffer[end - 2] ?? 0) : 0);
  key = Math.imul(key, 31) ^ (length >= 4 ? (buffer[end - 4] ?? 0) : 0);
  key = Math.imul(key, 31) ^ (length >= 6 ? (buffer[end - 6] ?? 0) : 0);
  key = Math.imul(key, 31) ^ (length >= 9 ? (buffer[end - 9] ?? 0) : 0);
  return Math.imul(key, 31) ^ (length >= 12 ? (buffer[end - 12] ?? 0) : 0);
}

function same(bytes: Uint8Array, buffer: Uint8Array, start: number, end: number): boolean {
  if (bytes.length !== end - start) return false;
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== buffer[start + i]) return false;
  return true;
}
