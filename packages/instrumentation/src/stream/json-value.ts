// For the rare events that are decoded: errors, progress, usage.

const decoder = new TextDecoder();

/** `undefined` for what is no JSON, such as the head of a cut line. */
export function jsonOf(bytes: Uint8Array, start: number, end: number): unknown {
  try {
    return JSON.parse(decoder.decode(bytes.subarray(start, end)));
  } catch {
    // Whoever asks goes by what the bytes alone have told.
    return undefined;
  }
}

/** What is found along the keys; `undefined` where one is missing. */
export function at(value: unknown, ...keys: readonly (string | number)[]): unknown {
  let found = value;
  for (const key of keys) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = Reflect.get(found, key);
  }
  return found;
}

export function numberAt(value: unknown, ...keys: readonly (string | number)[]): number | undefined {
  const found = at(value, ...keys);
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
}

export function textAt(value: unknown, ...keys: readonly (string | number)[]): string | undefined {
  const found = at(value, ...keys);
  return typeof found === 'string' && found !== '' ? found : undefined;
}
