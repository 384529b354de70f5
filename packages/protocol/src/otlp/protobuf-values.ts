import type { AttributeValue } from '../record.ts';
import type { NamesTable } from './names-table.ts';
import { bytesTag, fixed64Tag, type ProtobufReader, varintTag } from './protobuf-reader.ts';
import { maxArrayLength, maxStringLength } from './selection.ts';

/** Longest name of a scope that is looked at. */
const maxScopeBytes = 256;

/** The key of the KeyValue that the reader is in, if the table has it; the cursor is back at the start afterwards. */
export function keyOf(reader: ProtobufReader, table: NamesTable): string | undefined {
  const start = reader.pos;
  let name: string | undefined;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === bytesTag(1)) {
      const end = reader.delimited();
      name = table.find(reader.bytes, reader.pos, end);
      reader.pos = end;
    } else reader.skip(tag);
  }
  reader.pos = start;
  return name;
}

/** The name of the scope of the ScopeLogs, ScopeSpans or ScopeMetrics that the reader is at the start of; it stays there. */
export function scopeNameAhead(reader: ProtobufReader): string {
  const start = reader.pos;
  let name = '';
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag !== bytesTag(1)) reader.skip(tag);
    else
      reader.within(() =>
        reader.each(bytesTag(1), () => {
          name = reader.text(reader.end, maxScopeBytes);
        }),
      );
  }
  reader.pos = start;
  return name;
}

/** The value of the KeyValue that the reader is in. */
export function attributeValue(reader: ProtobufReader): AttributeValue | undefined {
  let value: AttributeValue | undefined;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag !== bytesTag(2)) {
      reader.skip(tag);
      continue;
    }
    const outer = reader.enter();
    value = anyValue(reader, true);
    reader.leave(outer);
  }
  return value;
}

/**
 * Key and value of the KeyValue that the reader is in, in one pass where they stand as every exporter writes them: the key,
 * the value, nothing else. Gives the name to `known` only where the table has it.
 *
 * @returns false where they do not; the cursor is back at the start then.
 */
export function readPlainly(
  reader: ProtobufReader,
  table: NamesTable,
  known: (name: string, value: AttributeValue | undefined) => void,
): boolean {
  const start = reader.pos;
  if (reader.tag() === bytesTag(1)) {
    const end = reader.delimited();
    const name = table.find(reader.bytes, reader.pos, end);
    reader.pos = end;
    if (reader.tag() === bytesTag(2)) {
      const outer = reader.enter();
      const value = name === undefined ? undefined : anyValue(reader, true);
      reader.leave(outer);
      if (reader.pos === reader.end) {
        if (name !== undefined) known(name, value);
        return true;
      }
    }
  }
  reader.pos = start;
  return false;
}

/** The AnyValue that the reader is in; maps, bytes and arrays of arrays are skipped, an empty one is no value. */
function anyValue(reader: ProtobufReader, arrays: boolean): AttributeValue | undefined {
  let value: AttributeValue | undefined;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === bytesTag(1)) value = reader.text(reader.delimited(), maxStringLength);
    else if (tag === varintTag(2)) value = reader.int64() !== 0;
    else if (tag === varintTag(3)) value = reader.int64();
    else if (tag === fixed64Tag(4)) value = reader.double();
    else if (tag === bytesTag(5) && arrays) {
      const outer = reader.enter();
      value = array(reader);
      reader.leave(outer);
    } else {
      if (tag === bytesTag(5) || tag === bytesTag(6) || tag === bytesTag(7)) value = undefined;
      reader.skip(tag);
    }
  }
  return value;
}

function array(reader: ProtobufReader): AttributeValue | undefined {
  const rows: AttributeValue[] = [];
  let usable = true;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag !== bytesTag(1) || !usable || rows.length >= maxArrayLength) {
      reader.skip(tag);
      continue;
    }
    const outer = reader.enter();
    const row = anyValue(reader, false);
    reader.leave(outer);
    usable = row !== undefined && (rows.length === 0 || typeof row === typeof rows[0]);
    if (row !== undefined) rows.push(row);
  }
  return usable ? (rows as readonly string[]) : undefined;
}
