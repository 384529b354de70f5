import type { ForeignRecord, TurnIdentity } from '@turnwatch/plugin';

// Attributes as other makers write them: numbers as strings, empty values, the wrong type. What cannot be used is absent.

/** A string that is not empty; numbers and flags count as their spelling. */
export function textOf({ attributes }: ForeignRecord, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = attributes[name];
    if (typeof value === 'string' && value !== '') return value;
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  }
  return undefined;
}

/** A number, also where it is written as a string. */
export function numberOf({ attributes }: ForeignRecord, name: string): number | undefined {
  const value = attributes[name];
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Only what is said. */
function known<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>;
  };
}

/** An identity of what is said. */
export function identity(
  fields: {
    readonly [Name in keyof TurnIdentity]: TurnIdentity[Name] | undefined;
  },
): TurnIdentity {
  return known(fields) as TurnIdentity;
}

/** The instant of a record, absent where its maker gave none. */
export function wallOf(record: ForeignRecord): { readonly wallMs?: number } {
  const ms = record.kind === 'span' ? record.endMs : record.timeMs;
  return Number.isFinite(ms) && ms > 0 ? { wallMs: ms } : {};
}
