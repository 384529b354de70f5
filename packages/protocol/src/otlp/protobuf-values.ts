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
  reader.each(bytesTag(2), () => {
    value = anyValue(reader, true);
  });
  return value;
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
      reader.within(() => {
        value = array(reader);
      });
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
  reader.each(bytesTag(1), () => {
    if (!usable || rows.length >= maxArrayLength) return;
    const row = anyValue(reader, false);
    usable = row !== undefined && (rows.length === 0 || typeof row === typeof rows[0]);
    if (row !== undefined) rows.push(row);
  });
  return usable ? (rows as readonly string[]) : undefined;
}
