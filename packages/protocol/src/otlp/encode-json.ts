import type { AttributeValue, WireRecord } from '../record.ts';
import { groupByService, isInt, type ResourceAttributes, type Scope, severityInfo } from './resource.ts';

/** An `ExportLogsServiceRequest` with these records, as OTLP/JSON. */
export function encodeLogsJson(
  records: readonly WireRecord[],
  resource: ResourceAttributes = {},
  scope?: Scope,
): string {
  return JSON.stringify({
    resourceLogs: groupByService(records, resource).map((group) => ({
      resource: { attributes: keyValues(group.attributes) },
      scopeLogs: [{ scope, logRecords: group.records.map(logRecord) }],
    })),
  });
}

function logRecord(record: WireRecord): object {
  return {
    timeUnixNano: record.timeMs > 0 ? nanos(record.timeMs) : undefined,
    severityNumber: severityInfo,
    eventName: record.eventName,
    attributes: keyValues(record.attributes),
    traceId: record.traceId,
    spanId: record.spanId,
  };
}

function nanos(ms: number): string {
  return String(BigInt(Math.floor(ms)) * 1_000_000n + BigInt(Math.round((ms % 1) * 1e6)));
}

function keyValues(attributes: ResourceAttributes): readonly object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value !== 'number') return { arrayValue: { values: value.map(anyValue) } };
  if (isInt(value)) return { intValue: String(value) };
  return { doubleValue: Number.isFinite(value) ? value : String(value) };
}
