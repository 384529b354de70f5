import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oracleEncode } from '../../fixtures/otlp-oracle.ts';
import { countJson } from './count-json.ts';
import { countProtobuf } from './count-protobuf.ts';
import type { CountedSignal } from './counted.ts';
import { OtlpError } from './error.ts';
import type { Maker } from './maker.ts';

const requests = { traces: 'ExportTraceServiceRequest', metrics: 'ExportMetricsServiceRequest' } as const;
const ignore = (): undefined => undefined;

function counts(signal: CountedSignal, body: Uint8Array | string, maxRecords?: number) {
  const makers: Partial<Record<Maker, number>> = {};
  const sink = (maker: Maker, records: number): void => {
    makers[maker] = (makers[maker] ?? 0) + records;
  };
  const limits = maxRecords === undefined ? {} : { maxRecords };
  const seen =
    typeof body === 'string'
      ? countJson(signal, body, sink, limits)
      : countProtobuf(signal, body, sink, limits);
  return { seen, makers };
}

function faultOf(count: () => unknown): OtlpError | undefined {
  try {
    count();
    return undefined;
  } catch (error) {
    if (error instanceof OtlpError) return error;
    throw error;
  }
}

const attribute = fc.record({
  key: fc.constantFrom('gen_ai.system', 'gen_ai.', 'gen_a', 'http.method', 'ключ'),
  value: fc.constantFrom({ stringValue: 'secret' }, { intValue: 1 }, { kvlistValue: { values: [] } }, {}),
});
const attributes = fc.array(attribute, { maxLength: 3 });
const span = fc.record({
  name: fc.constantFrom('chat gpt', 'codex.turn', '', 'turnwatch.turn', 'GET /'),
  attributes,
  events: fc.array(fc.record({ name: fc.string({ maxLength: 5 }), attributes }), { maxLength: 2 }),
});
const point = fc.record({ attributes, flags: fc.nat(3) });
const metric = fc
  .tuple(
    fc.constantFrom('gen_ai.client.token.usage', 'gemini_cli.x', 'http.server', ''),
    fc.constantFrom('gauge', 'sum', 'histogram', 'exponentialHistogram', 'summary', 'none'),
    fc.array(point, { maxLength: 3 }),
  )
  .map(([name, kind, dataPoints]) => (kind === 'none' ? { name } : { name, [kind]: { dataPoints } }));

function requestOf(signal: CountedSignal, records: fc.Arbitrary<object>): fc.Arbitrary<object> {
  const [resources, scopes, list] =
    signal === 'traces'
      ? ['resourceSpans', 'scopeSpans', 'spans']
      : ['resourceMetrics', 'scopeMetrics', 'metrics'];
  const scope = fc.record(
    {
      scope: fc.record({ name: fc.constantFrom('', 'ai', 'gen_ai', 'codex_exec', 'mine') }),
      [list as string]: fc.array(records, { maxLength: 4 }),
    },
    { requiredKeys: [list as string] },
  );
  const resource = fc.record({
    resource: fc.record({ attributes }),
    [scopes as string]: fc.array(scope, { maxLength: 3 }),
  });
  return fc.record({ [resources as string]: fc.array(resource, { maxLength: 3 }) });
}

describe.each([
  ['traces', span],
  ['metrics', metric],
] as const)('%s', (signal, records) => {
  it('are the same in JSON and in protobuf of a generated encoder', () => {
    fc.assert(
      fc.property(requestOf(signal, records), (request) => {
        const json = JSON.stringify(request);
        const expected = counts(signal, json);
        expect(counts(signal, oracleEncode(requests[signal], request))).toEqual(expected);
        const sum = Object.values(expected.makers).reduce((all, each) => all + each, 0);
        expect(sum).toBe(expected.seen);
        const unit = signal === 'traces' ? /"events":/g : /"flags":/g;
        expect(expected.seen).toBe(json.match(unit)?.length ?? 0);
      }),
    );
  });

  it('of random bytes give a count or an OtlpError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        faultOf(() => countProtobuf(signal, bytes, ignore));
        faultOf(() => countJson(signal, bytes, ignore));
      }),
      { numRuns: 1000 },
    );
  });
});

const nest = (signal: CountedSignal, records: string): string =>
  signal === 'traces'
    ? `{"resourceSpans":[{"scopeSpans":[{"spans":[${records}]}]}]}`
    : `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[${records}]}]}]}`;

describe('limits', () => {
  it('hold for spans, for metrics without points, and for points', () => {
    const three = '{},{},{}';
    for (const [signal, body] of [
      ['traces', nest('traces', three)],
      ['metrics', nest('metrics', three)],
      ['metrics', nest('metrics', `{"sum":{"dataPoints":[${three}]}}`)],
    ] as const) {
      const bytes = oracleEncode(requests[signal], JSON.parse(body));
      for (const each of [body, bytes]) {
        expect(faultOf(() => counts(signal, each, 3))).toBeUndefined();
        expect(faultOf(() => counts(signal, each, 2))?.kind).toBe('too_many_records');
      }
    }
  });
});

describe('what has the wrong shape is told', () => {
  it.each([
    ['traces', '[]', 'the request must be an object, not a list'],
    ['traces', '{"resourceSpans":5}', 'resourceSpans must be a list, not a number'],
    ['traces', nest('traces', '"x"'), 'a span must be an object, not a string'],
    ['traces', nest('traces', '{"attributes":{}}'), 'attributes must be a list, not an object'],
    ['metrics', '{"resourceMetrics":{"a":1}}', 'resourceMetrics must be a list, not an object'],
    ['metrics', nest('metrics', '{"sum":[]}'), 'sum must be an object, not a list'],
    ['metrics', nest('metrics', '{"gauge":{"dataPoints":3}}'), 'dataPoints must be a list, not a number'],
    [
      'metrics',
      nest('metrics', '{"gauge":{"dataPoints":[1]}}'),
      'a data point must be an object, not a number',
    ],
  ] as const)('%s %s', (signal, body, message) => {
    expect(faultOf(() => counts(signal, body))?.message).toContain(message);
  });
});

it('records may stand before the scope that made them', () => {
  const body = '{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"x"}],"scope":{"name":"codex_exec"}}]}]}';
  expect(counts('traces', body)).toEqual({ seen: 1, makers: { codex: 1 } });
});
