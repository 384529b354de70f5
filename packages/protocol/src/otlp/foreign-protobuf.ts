import type { AttributeValue } from '../record.ts';
import { OtlpError } from './error.ts';
import {
  attributesRead,
  type ForeignLimits,
  type ForeignOtlpSignal,
  type ForeignParts,
  type ForeignSelection,
  type ForeignSink,
  foreignLayouts,
  foreignMaxRecords,
  foreignOf,
  newParts,
} from './foreign-record.ts';
import { NamesTable } from './names-table.ts';
import { bytesTag, fixed64Tag, ProtobufReader, varintTag } from './protobuf-reader.ts';
import { attributeValue, keyOf, scopeNameAhead } from './protobuf-values.ts';
import { serviceNameAttribute } from './selection.ts';

const maxNameBytes = 256;

/** As `readForeignJson`, of protobuf. */
export function readForeignProtobuf(
  signal: ForeignOtlpSignal,
  bytes: Uint8Array,
  select: ForeignSelection,
  sink: ForeignSink,
  limits: ForeignLimits = {},
): void {
  const reader = new ProtobufReader(bytes);
  const maxRecords = limits.maxRecords ?? foreignMaxRecords;
  const names = new NamesTable(attributesRead(select));
  const resourceNames = new NamesTable([...select.resource, serviceNameAttribute]);
  let seen = 0;
  reader.each(bytesTag(1), () => {
    const start = reader.pos;
    const resource: Record<string, AttributeValue> = {};
    reader.each(bytesTag(1), () =>
      reader.each(bytesTag(1), () => attribute(reader, resourceNames, resource)),
    );
    reader.pos = start;
    const named = resource[serviceNameAttribute];
    const service = typeof named === 'string' && named !== '' ? named : undefined;
    reader.each(bytesTag(2), () => {
      const scope = scopeNameAhead(reader);
      if (signal === 'traces' && !select.wantsSpan(scope)) return;
      reader.each(bytesTag(2), () => {
        if (++seen > maxRecords)
          throw new OtlpError(
            'too_many_records',
            `more than ${maxRecords} ${foreignLayouts[signal].unit} in one request`,
          );
        const parts = newParts();
        if (signal === 'logs') logRecord(reader, names, parts);
        else span(reader, names, parts);
        const foreign = foreignOf(signal, parts, { resource, service, scope }, select);
        if (foreign !== undefined) sink(foreign);
      });
    });
  });
}

function logRecord(reader: ProtobufReader, names: NamesTable, parts: ForeignParts): void {
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === bytesTag(6)) reader.within(() => attribute(reader, names, parts.attributes));
    else if (tag === fixed64Tag(1)) parts.timeMs = reader.fixed64AsMs();
    else if (tag === fixed64Tag(11)) parts.observedMs = reader.fixed64AsMs();
    else if (tag === bytesTag(9)) parts.traceId = reader.hex(reader.delimited(), 16);
    else if (tag === bytesTag(10)) parts.spanId = reader.hex(reader.delimited(), 8);
    else if (tag === bytesTag(12)) parts.name = reader.text(reader.delimited(), maxNameBytes);
    else reader.skip(tag);
  }
}

function span(reader: ProtobufReader, names: NamesTable, parts: ForeignParts): void {
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === bytesTag(1)) parts.traceId = reader.hex(reader.delimited(), 16);
    else if (tag === bytesTag(2)) parts.spanId = reader.hex(reader.delimited(), 8);
    else if (tag === bytesTag(4)) parts.parentSpanId = reader.hex(reader.delimited(), 8);
    else if (tag === bytesTag(5)) parts.name = reader.text(reader.delimited(), maxNameBytes);
    else if (tag === fixed64Tag(7)) parts.timeMs = reader.fixed64AsMs();
    else if (tag === fixed64Tag(8)) parts.endMs = reader.fixed64AsMs();
    else if (tag === bytesTag(9)) reader.within(() => attribute(reader, names, parts.attributes));
    else if (tag === bytesTag(15)) reader.within(() => status(reader, parts));
    else reader.skip(tag);
  }
}

function status(reader: ProtobufReader, parts: ForeignParts): void {
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === varintTag(3)) parts.status = reader.int64();
    else reader.skip(tag);
  }
}

function attribute(reader: ProtobufReader, names: NamesTable, into: Record<string, AttributeValue>): void {
  const name = keyOf(reader, names);
  // No selection may reach an object's prototype.
  if (name === undefined || name === '__proto__') return;
  const value = attributeValue(reader);
  if (value !== undefined) into[name] = value;
}
