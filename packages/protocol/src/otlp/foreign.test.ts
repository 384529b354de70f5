import { describe, expect, it, test } from 'vitest';
import { type Capture, captures } from '../../fixtures/captures.ts';
import { oracleEncode } from '../../fixtures/otlp-oracle.ts';
import { readForeignJson } from './foreign-json.ts';
import { readForeignProtobuf } from './foreign-protobuf.ts';
import type { ForeignOtlpSignal, ForeignSelection, WireForeign } from './foreign-record.ts';

const all: ForeignSelection = {
  wantsLog: (name) => !name.includes('.rs:'),
  wantsSpan: () => true,
  attributes: ['conversation.id', 'event.kind', 'gen_ai.operation.name', 'prompt_id'],
  resource: ['service.version'],
};
const read = (signal: ForeignOtlpSignal, body: object, select = all): WireForeign[] => {
  const records: WireForeign[] = [];
  readForeignJson(signal, JSON.stringify(body), select, (record) => records.push(record));
  return records;
};

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
const asProtobuf = (signal: ForeignOtlpSignal, body: object): Uint8Array =>
  oracleEncode(
    signal === 'logs' ? 'ExportLogsServiceRequest' : 'ExportTraceServiceRequest',
    bytesForIds(body) as object,
  );

const real = captures.filter(
  (capture): capture is Capture & { readonly signal: ForeignOtlpSignal } => capture.signal !== 'metrics',
);

describe.each(real)('$signal of $client', ({ signal, body }) => {
  it('are the same in JSON and in protobuf', () => {
    const fromProtobuf: WireForeign[] = [];
    readForeignProtobuf(signal, asProtobuf(signal, body), all, (record) => fromProtobuf.push(record));
    expect(fromProtobuf.length).toBeGreaterThan(0);
    expect(fromProtobuf).toEqual(read(signal, body));
  });

  it('of a library that nobody asks for are not looked at', () => {
    const none: ForeignSelection = { ...all, wantsLog: () => false, wantsSpan: () => false };
    expect(read(signal, body, none)).toEqual([]);
    readForeignProtobuf(signal, asProtobuf(signal, body), none, () => expect.unreachable());
  });
});

const logs = (record: object, around: object = {}): object => ({
  resourceLogs: [{ scopeLogs: [{ logRecords: [record], scope: { name: 's' } }], ...around }],
});
const attribute = (key: string, stringValue: string): object => ({ key, value: { stringValue } });

test('the attribute event.name is the name where the field holds a line of source', () => {
  const record = { eventName: 'event a.rs:7', attributes: [attribute('event.name', 'codex.x')] };
  expect(read('logs', logs(record))).toMatchObject([{ eventName: 'codex.x', scope: 's' }]);
});

test('a resource behind its records is that of its records', () => {
  const resource = { attributes: [attribute('service.name', 'app'), attribute('service.version', '1')] };
  expect(read('logs', logs({ eventName: 'e', observedTimeUnixNano: '5000000' }, { resource }))).toEqual([
    {
      kind: 'log',
      eventName: 'e',
      timeMs: 5,
      attributes: {},
      resource: { 'service.name': 'app', 'service.version': '1' },
      service: 'app',
      scope: 's',
    },
  ]);
});

test('a span without its ids is nobody’s', () => {
  const body = { resourceSpans: [{ scopeSpans: [{ spans: [{ name: 'x', traceId: '00', spanId: 'zz' }] }] }] };
  expect(read('traces', body)).toEqual([]);
});

test('status, and ids in capitals', () => {
  const one = { traceId: 'A'.repeat(32), spanId: 'B'.repeat(16), status: { code: 2 } };
  const body = {
    resourceSpans: [
      { scopeSpans: [{ spans: [one, { ...one, status: { code: 1 } }, { ...one, status: {} }] }] },
    ],
  };
  expect(read('traces', body).map((span) => span.kind === 'span' && span.status)).toEqual([
    'error',
    'ok',
    'unset',
  ]);
});

test('too many records in one request, in either encoding', () => {
  const body = { resourceLogs: [{ scopeLogs: [{ logRecords: Array(9).fill({ eventName: 'e' }) }] }] };
  const limits = { maxRecords: 8 };
  expect(() => readForeignJson('logs', JSON.stringify(body), all, () => undefined, limits)).toThrow(
    '8 log records',
  );
  expect(() => readForeignProtobuf('logs', asProtobuf('logs', body), all, () => undefined, limits)).toThrow(
    '8 log records',
  );
});
