import type { AttributeValue, WireRecord } from '../record.ts';
import { ProtobufWriter } from './protobuf-writer.ts';
import { groupByService, isInt, type ResourceAttributes, type Scope, severityInfo } from './resource.ts';

/** An `ExportLogsServiceRequest` with these records, as protobuf. */
export function encodeLogsProtobuf(
  records: readonly WireRecord[],
  resource: ResourceAttributes = {},
  scope?: Scope,
): Uint8Array<ArrayBuffer> {
  const out = new ProtobufWriter();
  for (const group of groupByService(records, resource)) {
    out.message(1, () => {
      out.message(1, () => writeAttributes(out, 1, group.attributes));
      out.message(2, () => {
        if (scope !== undefined) out.message(1, () => writeScope(out, scope));
        for (const record of group.records) out.message(2, () => writeRecord(out, record));
      });
    });
  }
  return out.finish();
}

function writeScope(out: ProtobufWriter, scope: Scope): void {
  out.string(1, scope.name);
  if (scope.version !== undefined) out.string(2, scope.version);
}

function writeRecord(out: ProtobufWriter, record: WireRecord): void {
  if (record.timeMs > 0) out.nanos(1, record.timeMs);
  out.int64(2, severityInfo);
  writeAttributes(out, 6, record.attributes);
  if (record.traceId !== undefined) out.hex(9, record.traceId);
  if (record.spanId !== undefined) out.hex(10, record.spanId);
  out.string(12, record.eventName);
}

function writeAttributes(out: ProtobufWriter, field: number, attributes: ResourceAttributes): void {
  for (const name in attributes) {
    const value = attributes[name];
    if (value === undefined) continue;
    out.message(field, () => {
      out.string(1, name);
      out.message(2, () => writeValue(out, value));
    });
  }
}

function writeValue(out: ProtobufWriter, value: AttributeValue): void {
  if (typeof value === 'string') out.string(1, value);
  else if (typeof value === 'boolean') out.bool(2, value);
  else if (typeof value !== 'number') {
    out.message(5, () => {
      for (const row of value) out.message(1, () => writeValue(out, row));
    });
  } else if (isInt(value)) out.int64(3, value);
  else out.double(4, value);
}
