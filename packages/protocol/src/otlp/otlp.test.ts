import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oracleDecode, oracleEncode } from '../../fixtures/otlp-oracle.ts';
import { bytesOf, grouped, oracleAttributes, wireRecord } from '../../fixtures/wire-records.ts';
import type { WireRecord } from '../record.ts';
import { decodeLogsJson } from './decode-json.ts';
import { decodeLogsProtobuf } from './decode-protobuf.ts';
import { encodeLogsJson } from './encode-json.ts';
import { encodeLogsProtobuf } from './encode-protobuf.ts';
import { encodeExportLogsResponse, encodeStatus } from './response.ts';

const ignore = (): undefined => undefined;
const records = fc.array(wireRecord, { maxLength: 8 });

function readProtobuf(bytes: Uint8Array): WireRecord[] {
  const found: WireRecord[] = [];
  decodeLogsProtobuf(bytes, (record) => found.push(record));
  return found;
}

function readJson(body: string | Uint8Array): WireRecord[] {
  const found: WireRecord[] = [];
  decodeLogsJson(body, (record) => found.push(record));
  return found;
}

function request(groups: readonly WireRecord[], noise: boolean): object {
  return {
    resourceLogs: groups.map((record) => ({
      resource: {
        attributes: [
          ...(noise ? [{ key: 'host.name', value: { stringValue: 'h' } }, { key: 'service.name' }] : []),
          ...(record.service === undefined ? [] : oracleAttributes({ 'service.name': record.service })),
        ],
      },
      schemaUrl: noise ? 'https://example.test/schema' : '',
      scopeLogs: [
        {
          ...(noise ? { scope: { name: 's', version: '1', attributes: oracleAttributes({ a: 1 }) } } : {}),
          logRecords: [
            ...(noise ? [{ eventName: 'someone.elses', attributes: oracleAttributes({ b: 'c' }) }, {}] : []),
            {
              eventName: record.eventName,
              timeUnixNano: record.timeMs === 0 ? '0' : `${record.timeMs}000000`,
              ...(noise
                ? {
                    severityText: 'INFO',
                    flags: 1,
                    droppedAttributesCount: 3,
                    body: { kvlistValue: { values: [{ key: 'prompt', value: { stringValue: 'secret' } }] } },
                  }
                : {}),
              attributes: [
                ...(noise
                  ? [
                      {
                        key: 'unknown',
                        value: { arrayValue: { values: [{ kvlistValue: { values: [] } }] } },
                      },
                      { key: 'turnwatch.seq' },
                    ]
                  : []),
                ...oracleAttributes(record.attributes),
              ],
              traceId: bytesOf(record.traceId) ?? [],
              spanId: bytesOf(record.spanId) ?? [],
            },
          ],
        },
      ],
    })),
  };
}

describe('logs in protobuf', () => {
  it('read as the generated encoder wrote them, with other fields around them', () => {
    fc.assert(
      fc.property(records, fc.boolean(), (wanted, noise) => {
        const bytes = oracleEncode('ExportLogsServiceRequest', request(wanted, noise));
        expect(readProtobuf(bytes)).toStrictEqual(wanted);
      }),
      { numRuns: 500 },
    );
  });

  it('are written as the generated decoder reads them', () => {
    fc.assert(
      fc.property(wireRecord, (record) => {
        const bytes = encodeLogsProtobuf([record], {}, { name: 'scope', version: '1' });
        const { resourceLogs } = oracleDecode('ExportLogsServiceRequest', bytes) as {
          resourceLogs: { resource: unknown; scopeLogs: { scope: unknown; logRecords: unknown[] }[] }[];
        };
        const logRecord = resourceLogs[0]?.scopeLogs[0]?.logRecords[0];
        const expected = oracleDecode(
          'LogRecord',
          oracleEncode('LogRecord', {
            severityNumber: 9,
            eventName: record.eventName,
            timeUnixNano: `${record.timeMs}000000`,
            attributes: oracleAttributes(record.attributes),
            traceId: bytesOf(record.traceId) ?? [],
            spanId: bytesOf(record.spanId) ?? [],
          }),
        ) as Record<string, unknown>;
        const strip = (value: Record<string, unknown>): Record<string, unknown> =>
          Object.fromEntries(
            Object.entries(value).filter(
              ([, field]) => field !== '0' && !(Array.isArray(field) && field.length === 0),
            ),
          );
        expect(strip(logRecord as Record<string, unknown>)).toEqual(strip(expected));
        expect(resourceLogs[0]?.scopeLogs[0]?.scope).toEqual({ name: 'scope', version: '1' });
      }),
      { numRuns: 500 },
    );
  });

  it('come back as they went out', () => {
    fc.assert(
      fc.property(records, (wanted) => {
        expect(readProtobuf(encodeLogsProtobuf(wanted))).toStrictEqual(grouped(wanted));
      }),
      { numRuns: 500 },
    );
  });

  it('have the service of their resource, also where the resource comes after the records', () => {
    const record = oracleEncode('ScopeLogs', { logRecords: [{ eventName: 'turnwatch.canary' }] });
    const resource = oracleEncode('Resource', { attributes: oracleAttributes({ 'service.name': 'late' }) });
    const logs = [0x12, record.length, ...record, 0x0a, resource.length, ...resource];
    expect(readProtobuf(Uint8Array.from([0x0a, logs.length, ...logs]))).toMatchObject([{ service: 'late' }]);
  });

  it('take a default service from the resource', () => {
    const bytes = encodeLogsProtobuf(
      [
        { eventName: 'turnwatch.canary', timeMs: 1, attributes: {} },
        { eventName: 'turnwatch.canary', timeMs: 2, attributes: {}, service: 'own' },
      ],
      { 'service.name': 'default', 'host.name': 'h' },
    );
    expect(readProtobuf(bytes).map((record) => record.service)).toEqual(['default', 'own']);
  });

  it('count what was seen and what was ours', () => {
    const bytes = oracleEncode('ExportLogsServiceRequest', {
      resourceLogs: [
        { scopeLogs: [{ logRecords: [{ eventName: 'other' }, {}, { eventName: 'turnwatch.canary' }] }] },
      ],
    });
    expect(decodeLogsProtobuf(bytes, ignore)).toEqual({ seen: 3, matched: 1 });
    expect(decodeLogsProtobuf(new Uint8Array(), ignore)).toEqual({ seen: 0, matched: 0 });
  });
});

describe('logs in JSON', () => {
  it('come back as they went out, as text and as bytes', () => {
    fc.assert(
      fc.property(records, (wanted) => {
        const body = encodeLogsJson(wanted, {}, { name: 's' });
        expect(readJson(body)).toStrictEqual(grouped(wanted));
        expect(readJson(new TextEncoder().encode(body))).toStrictEqual(grouped(wanted));
      }),
      { numRuns: 300 },
    );
  });

  it('are the same records as in protobuf', () => {
    fc.assert(
      fc.property(records, (wanted) => {
        expect(readJson(encodeLogsJson(wanted))).toStrictEqual(readProtobuf(encodeLogsProtobuf(wanted)));
      }),
    );
  });

  it('have integers as strings or numbers, upper-case ids, unknown fields and empty values', () => {
    const body = `{"resourceLogs":[{"futureField":{"a":[1,{"b":null}]},"scopeLogs":[{"logRecords":[
      {"attributes":[{"value":{"intValue":7},"key":"turnwatch.seq"},{"key":"turnwatch.chunks","value":{"intValue":"9"}},
        {"key":"turnwatch.phase","value":{}},{"key":"turnwatch.worker","value":null},{"key":"turnwatch.turn.attempt"},
        {"key":"turnwatch.evidence.progress_ms","value":{"doubleValue":"NaN"}},
        {"key":"turnwatch.turn.\\u0069d","value":{"stringValue":"a\\n\\"\\ud83d\\ude00"}}],
       "traceId":"4BF92F3577B34DA6A3CE929D0E0E4736","timeUnixNano":"1764500560123456789","eventName":"turnwatch.turn.heartbeat"},
      {"timeUnixNano":0,"observedTimeUnixNano":1764500560000000000,"severityNumber":9,
       "attributes":[{"key":"event.name","value":{"stringValue":"turnwatch.canary"}}],"traceId":"", "spanId":"xyz"}
    ]}],"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"svc"}}]}}]}`;
    expect(readJson(body)).toStrictEqual([
      {
        eventName: 'turnwatch.turn.heartbeat',
        timeMs: 1_764_500_560_123,
        traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
        attributes: {
          'turnwatch.seq': 7,
          'turnwatch.chunks': 9,
          'turnwatch.evidence.progress_ms': Number.NaN,
          'turnwatch.turn.id': 'a\n"😀',
        },
        service: 'svc',
      },
      { eventName: 'turnwatch.canary', timeMs: 1_764_500_560_000, attributes: {}, service: 'svc' },
    ]);
  });

  it('may be an empty request', () => {
    for (const body of ['{}', ' {"resourceLogs":[]} ', '{"resourceLogs":null}']) {
      expect(decodeLogsJson(body, ignore)).toEqual({ seen: 0, matched: 0 });
    }
  });
});

describe('event names', () => {
  it('are taken from the attribute event.name where the field is empty', () => {
    const bytes = oracleEncode('ExportLogsServiceRequest', {
      resourceLogs: [
        {
          scopeLogs: [
            { logRecords: [{ attributes: oracleAttributes({ 'event.name': 'turnwatch.canary' }) }] },
          ],
        },
      ],
    });
    expect(readProtobuf(bytes)).toEqual([{ eventName: 'turnwatch.canary', timeMs: 0, attributes: {} }]);
  });

  it('and attributes of other makers are read where a mapper asks for them, never an object prototype', () => {
    const select = {
      wantsEvent: (name: string) => name.startsWith('codex.'),
      attributes: ['codex.thread', '__proto__'],
    };
    const foreign: WireRecord = {
      eventName: 'codex.turn',
      timeMs: 1,
      attributes: JSON.parse('{"codex.thread":"t","__proto__":["x"],"codex.prompt":"secret"}'),
    };
    const found: WireRecord[] = [];
    decodeLogsProtobuf(encodeLogsProtobuf([foreign]), (record) => found.push(record), { select });
    decodeLogsJson(encodeLogsJson([foreign]), (record) => found.push(record), { select });
    const read = { eventName: 'codex.turn', timeMs: 1, attributes: { 'codex.thread': 't' } };
    expect(found).toStrictEqual([read, read]);
    expect(readProtobuf(encodeLogsProtobuf([foreign]))).toEqual([]);
  });
});

describe('responses', () => {
  it('of full success are empty', () => {
    expect(encodeExportLogsResponse({}, 'protobuf')).toHaveLength(0);
    expect(new TextDecoder().decode(encodeExportLogsResponse({ rejected: 0 }, 'json'))).toBe('{}');
  });

  it('of partial success say how many and why', () => {
    const outcome = { rejected: 300, message: 'turnwatch.turn.id is missing' };
    expect(oracleDecode('ExportLogsServiceResponse', encodeExportLogsResponse(outcome, 'protobuf'))).toEqual({
      partialSuccess: { rejectedLogRecords: '300', errorMessage: outcome.message },
    });
    expect(JSON.parse(new TextDecoder().decode(encodeExportLogsResponse(outcome, 'json')))).toEqual({
      partialSuccess: { rejectedLogRecords: '300', errorMessage: outcome.message },
    });
  });

  it('of an error are a google.rpc.Status', () => {
    const status = { code: 14, message: `closed ${'…'.repeat(100)}` };
    expect(oracleDecode('Status', encodeStatus(status, 'protobuf'))).toEqual(status);
    expect(JSON.parse(new TextDecoder().decode(encodeStatus(status, 'json')))).toEqual(status);
  });
});
