import type { AttributeValue } from '../record.ts';
import type { JsonReader, Scalar } from './json-reader.ts';
import { maxArrayLength, maxStringLength, serviceNameAttribute } from './selection.ts';

const serviceNameSet: ReadonlySet<string> = new Set([serviceNameAttribute]);

/** `service.name` of the resource at the cursor. */
export function serviceName(reader: JsonReader): string | undefined {
  let service: string | undefined;
  reader.object('resource', (key) => {
    if (key !== 'attributes') {
      reader.skip();
      return;
    }
    const name = keyValues(reader, serviceNameSet)[serviceNameAttribute];
    if (typeof name === 'string' && name !== '') service = name;
  });
  return service;
}

/** The name of the scope at the cursor; empty where it has none. */
export function scopeName(reader: JsonReader): string {
  let name = '';
  reader.object('scope', (key) => {
    if (key === 'name') name = text(reader.scalar()) ?? '';
    else reader.skip();
  });
  return name;
}

/** The attributes in the list at the cursor that are wanted. */
export function keyValues(reader: JsonReader, wanted: ReadonlySet<string>): Record<string, AttributeValue> {
  const attributes: Record<string, AttributeValue> = {};
  reader.array('attributes', () => keyValue(reader, attributes, wanted));
  return attributes;
}

function keyValue(
  reader: JsonReader,
  into: Record<string, AttributeValue>,
  wanted: ReadonlySet<string>,
): void {
  let name: Scalar | undefined;
  let passed: number | undefined;
  let value: AttributeValue | undefined;
  reader.object('an attribute', (key) => {
    if (key === 'key') name = reader.scalar();
    else if (key === 'value' && typeof name === 'string' && wanted.has(name)) value = anyValue(reader, true);
    else {
      if (key === 'value') passed = reader.pos;
      reader.skip();
    }
  });
  // No widened selection may reach an object's prototype.
  if (typeof name !== 'string' || !wanted.has(name) || name === '__proto__') return;
  if (value === undefined && passed !== undefined)
    value = reader.backAt(passed, () => anyValue(reader, true));
  if (value !== undefined) into[name] = value;
}

/** Maps, bytes and arrays of arrays are no values here; neither is an empty AnyValue. */
function anyValue(reader: JsonReader, arrays: boolean): AttributeValue | undefined {
  let value: AttributeValue | undefined;
  reader.object('the value of an attribute', (key) => {
    if (key === 'arrayValue' && arrays) value = array(reader);
    else value = scalarValue(key, reader.scalar()) ?? value;
  });
  return value;
}

function array(reader: JsonReader): AttributeValue | undefined {
  const rows: AttributeValue[] = [];
  let usable = true;
  reader.object('arrayValue', (key) => {
    if (key !== 'values') {
      reader.skip();
      return;
    }
    reader.array('values', () => {
      if (!usable || rows.length >= maxArrayLength) {
        reader.skip();
        return;
      }
      const row = anyValue(reader, false);
      usable = row !== undefined && (rows.length === 0 || typeof row === typeof rows[0]);
      if (row !== undefined) rows.push(row);
    });
  });
  return usable ? (rows as readonly string[]) : undefined;
}

function scalarValue(kind: string, scalar: Scalar | undefined): AttributeValue | undefined {
  switch (kind) {
    case 'stringValue':
      return typeof scalar === 'string' ? scalar.slice(0, maxStringLength) : undefined;
    case 'boolValue':
      return typeof scalar === 'boolean' ? scalar : undefined;
    case 'intValue':
    case 'doubleValue':
      if (typeof scalar === 'number') return scalar;
      // "NaN" and "Infinity" are how JSON writes those doubles; the reader of the signal refuses them.
      return typeof scalar === 'string' && scalar.trim() !== '' ? Number(scalar) : undefined;
    default:
      return undefined;
  }
}

export function text(value: AttributeValue | null | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, maxStringLength) : undefined;
}

/** As a string of digits the ns are exact; as a number they are as exact as their sender had them. */
export function nanosToMs(value: Scalar | undefined): number {
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return Number(value.slice(0, -6));
  return typeof value === 'number' && value > 0 ? Math.floor(value / 1e6) : 0;
}
