import { fromIso } from '../instant.ts';
import type { AttributeValue } from '../record.ts';
import { cleanId, cleanText } from '../text.ts';

/**
 * Strict reading of a record's attributes. Every accessor gives undefined for what is not there; what is there but
 * not as it should be gives undefined too and leaves a note. Notes name attributes, never the values that agents sent.
 */
export class Fields {
  readonly notes: string[] = [];
  readonly #attributes: Readonly<Record<string, AttributeValue | undefined>>;

  constructor(attributes: Readonly<Record<string, AttributeValue>> | undefined | null) {
    this.#attributes = attributes ?? {};
  }

  has(name: string): boolean {
    return this.#attributes[name] !== undefined;
  }

  /** Rows of a list; 0 where there is none. */
  length(name: string): number {
    const value = this.#attributes[name];
    return Array.isArray(value) ? value.length : 0;
  }

  note(name: string, problem: string): undefined {
    this.notes.push(`${name} ${problem}`);
    return undefined;
  }

  /** A name to be shown. An empty one is as good as none. */
  text(...names: readonly string[]): string | undefined {
    return this.#string(names, cleanText);
  }

  id(...names: readonly string[]): string | undefined {
    return this.#string(names, cleanId);
  }

  #string(names: readonly string[], clean: (raw: string) => string): string | undefined {
    for (const name of names) {
      const value = this.#attributes[name];
      if (value === undefined) continue;
      if (typeof value !== 'string') return this.note(name, 'must be a string');
      const text = clean(value);
      if (text !== '') return text;
    }
    return undefined;
  }

  /** Any finite number, also a negative one (time left to a horizon that has passed). */
  number(...names: readonly string[]): number | undefined {
    for (const name of names) {
      const value = this.#attributes[name];
      if (value === undefined) continue;
      return typeof value === 'number' && Number.isFinite(value)
        ? value
        : this.note(name, 'must be a finite number');
    }
    return undefined;
  }

  /** A stamp, a duration or an amount: 0 or more, and no more than a double can count. */
  amount(...names: readonly string[]): number | undefined {
    const value = this.number(...names);
    if (value === undefined || isAmount(value)) return value;
    return this.note(names[0] ?? '', 'must be 0 or more and below 2^53');
  }

  whole(name: string, least: number): number | undefined {
    const value = this.number(name);
    if (value === undefined || (Number.isSafeInteger(value) && value >= least)) return value;
    return this.note(name, `must be a whole number from ${least}`);
  }

  flag(...names: readonly string[]): boolean | undefined {
    for (const name of names) {
      const value = this.#attributes[name];
      if (value === undefined) continue;
      return typeof value === 'boolean' ? value : this.note(name, 'must be true or false');
    }
    return undefined;
  }

  word<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const value = this.#attributes[name];
    if (value === undefined) return undefined;
    return words.find((word) => word === value) ?? this.note(name, `must be one of ${words.join(', ')}`);
  }

  /** ms since the epoch. */
  instant(name: string): number | undefined {
    const value = this.#attributes[name];
    if (value === undefined) return undefined;
    const wallMs = typeof value === 'string' ? fromIso(value) : undefined;
    return wallMs ?? this.note(name, 'must be an ISO 8601 instant with a zone');
  }

  /** Time left: as the producer counted it, else from the instant and the producer's own wall clock. */
  timeLeft(name: string, isoName: string, wallMs: number | undefined): number | undefined {
    if (this.has(name)) return this.number(name);
    const atMs = this.instant(isoName);
    return atMs === undefined || wallMs === undefined ? undefined : atMs - wallMs;
  }

  /** Every row of a list of ids; undefined where it is missing, or where a row is not an id. */
  ids(name: string): readonly string[] | undefined {
    const value = this.#attributes[name];
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) return this.note(name, 'must be a list of strings');
    const rows: readonly unknown[] = value;
    const ids: string[] = [];
    for (const row of rows) {
      const id = typeof row === 'string' ? cleanId(row) : '';
      if (id === '') return this.note(name, 'must be a list of strings, none of them empty');
      ids.push(id);
    }
    return ids;
  }

  texts(
    name: string,
    length: number,
    clean: (raw: string) => string = cleanText,
  ): readonly string[] | undefined {
    return this.#column(name, length, 'strings', (row) => (typeof row === 'string' ? clean(row) : undefined));
  }

  numbers(name: string, length: number): readonly number[] | undefined {
    return this.#column(name, length, 'finite numbers', (row) =>
      typeof row === 'number' && Number.isFinite(row) ? row : undefined,
    );
  }

  /** 0 or more in every row. */
  amounts(name: string, length: number): readonly number[] | undefined {
    return this.#column(name, length, 'numbers from 0', (row) =>
      typeof row === 'number' && isAmount(row) ? row : undefined,
    );
  }

  flags(name: string, length: number): readonly boolean[] | undefined {
    return this.#column(name, length, 'booleans', (row) => (typeof row === 'boolean' ? row : undefined));
  }

  /** A column of a list that travels as parallel arrays: as long as the others, or the list cannot be trusted. */
  #column<Row>(
    name: string,
    length: number,
    kind: string,
    read: (row: unknown) => Row | undefined,
  ): readonly Row[] | undefined {
    const value = this.#attributes[name];
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) return this.note(name, `must be a list of ${kind}`);
    const rows: readonly unknown[] = value;
    if (rows.length !== length) return this.note(name, 'is not as long as its list of ids');
    const column: Row[] = [];
    for (const raw of rows) {
      const row = read(raw);
      if (row === undefined) return this.note(name, `must be a list of ${kind}`);
      column.push(row);
    }
    return column;
  }
}

function isAmount(value: number): boolean {
  return value >= 0 && value <= Number.MAX_SAFE_INTEGER;
}
