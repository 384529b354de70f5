import { Attr, Event, type WireRecord } from '@turnwatch/protocol';
import { encodeLogsJson, encodeLogsProtobuf } from '@turnwatch/protocol/otlp';
import { captures } from '../../packages/protocol/fixtures/captures.ts';
import { oracleEncode } from '../../packages/protocol/fixtures/otlp-oracle.ts';
import { inputOf } from './check.ts';

const messages = {
  logs: 'ExportLogsServiceRequest',
  traces: 'ExportTraceServiceRequest',
  metrics: 'ExportMetricsServiceRequest',
} as const;

/** Where the fuzzer begins: what real clients sent, and each event of ours with every attribute. */
export function seeds(): readonly Uint8Array[] {
  const utf8 = new TextEncoder();
  const own: readonly WireRecord[] = Object.values(Event).map((eventName, n) => ({
    eventName,
    timeMs: 1_764_500_560_000 + n,
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    attributes: Object.fromEntries(
      Object.values(Attr).map((key, at) => [
        key,
        [`v${at}`, at, true, [`row ${at}`], [at]][(at + n) % 5] ?? at,
      ]),
    ),
    service: 'svc',
  }));
  return [
    ...captures.flatMap(({ signal, body }) => [
      inputOf(signal, 'json', utf8.encode(JSON.stringify(body))),
      inputOf(signal, 'protobuf', oracleEncode(messages[signal], bytesForIds(body) as object)),
    ]),
    ...own.flatMap((record) => [
      inputOf('logs', 'protobuf', encodeLogsProtobuf([record])),
      inputOf('logs', 'json', utf8.encode(encodeLogsJson([record]))),
    ]),
  ];
}

/** Ids are hex in OTLP/JSON; the generated encoder wants their bytes. */
function bytesForIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bytesForIds);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) =>
      /^(trace|span|parentSpan)Id$/.test(key) && typeof inner === 'string'
        ? [key, [...Buffer.from(inner, 'hex')]]
        : [key, bytesForIds(inner)],
    ),
  );
}
