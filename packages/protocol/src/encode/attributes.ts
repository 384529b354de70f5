import type { AttributeValue } from '../record.ts';
import { cleanId, cleanText } from '../text.ts';

export type Attributes = Record<string, AttributeValue>;

/** Leaves out what is not known: no attribute is ever written with an empty or impossible value. */
export function put(into: Attributes, name: string, value: AttributeValue | undefined): void {
  if (value === undefined || (typeof value === 'number' && !Number.isFinite(value))) return;
  into[name] = value;
}

export function putText(into: Attributes, name: string, value: string | undefined): void {
  if (value === undefined) return;
  const text = cleanText(value);
  if (text !== '') into[name] = text;
}

export function putId(into: Attributes, name: string, value: string | undefined): void {
  if (value === undefined) return;
  const id = cleanId(value);
  if (id !== '') into[name] = id;
}

/** One column of a list; the whole column is left out where no row knows its value. */
export function putColumn<Row>(
  into: Attributes,
  name: string,
  rows: readonly Row[],
  value: (row: Row) => number | undefined,
): void {
  if (rows.some((row) => value(row) !== undefined)) into[name] = rows.map((row) => value(row) ?? -1);
}

export function putTextColumn<Row>(
  into: Attributes,
  name: string,
  rows: readonly Row[],
  value: (row: Row) => string | undefined,
): void {
  if (rows.some((row) => value(row) !== undefined)) into[name] = rows.map((row) => value(row) ?? '');
}
