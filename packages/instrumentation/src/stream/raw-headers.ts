import type { HeaderLookup } from './retry-advice.ts';

/** Looks headers up as undici has them: a flat list of names and values, or, since 7, an object of lower-case names. */
export function headerLookup(headers: unknown): HeaderLookup {
  if (Array.isArray(headers)) return (name) => inList(headers, name);
  if (typeof headers !== 'object' || headers === null) return () => undefined;
  return (name) => textOf(Reflect.get(headers, name));
}

function inList(headers: readonly unknown[], name: string): string | undefined {
  for (let at = 0; at + 1 < headers.length; at += 2)
    if (textOf(headers[at])?.toLowerCase() === name) return textOf(headers[at + 1]);
  return undefined;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  return Array.isArray(value) ? textOf(value[0]) : undefined;
}
