import { describe, expect, it } from 'vitest';
import { type Capture, captures } from '../../fixtures/captures.ts';
import { oracleDecode, oracleEncode } from '../../fixtures/otlp-oracle.ts';
import type { WireRecord } from '../record.ts';
import { countJson } from './count-json.ts';
import { countProtobuf } from './count-protobuf.ts';
import { decodeLogsJson } from './decode-json.ts';
import { decodeLogsProtobuf } from './decode-protobuf.ts';
import type { Maker } from './maker.ts';
import type { Selection } from './selection.ts';

// What real clients sent, read by ours and by a generated decoder: in JSON as it came, and in protobuf as the generated
// encoder writes the same request.

const requests = {
  logs: 'ExportLogsServiceRequest',
  traces: 'ExportTraceServiceRequest',
  metrics: 'ExportMetricsServiceRequest',
} as const;

type Tree = { readonly [key: string]: Tree | readonly Tree[] | string | number | boolean | undefined };

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

const protobufOf = ({ signal, body }: Capture): Uint8Array =>
  oracleEncode(requests[signal], bytesForIds(body) as object);
const lists = (tree: Tree, key: string): readonly Tree[] => (tree[key] ?? []) as readonly Tree[];

/** Every record in the tree of the generated decoder. */
function recordsOf(capture: Capture, tree: Tree): readonly Tree[] {
  const [resources, scopes, records] = {
    logs: ['resourceLogs', 'scopeLogs', 'logRecords'],
    traces: ['resourceSpans', 'scopeSpans', 'spans'],
    metrics: ['resourceMetrics', 'scopeMetrics', 'metrics'],
  }[capture.signal] as [string, string, string];
  return lists(tree, resources).flatMap((resource) =>
    lists(resource, scopes).flatMap((scope) => lists(scope, records)),
  );
}

/** Data points for metrics, records for the others. */
function unitsOf(capture: Capture, tree: Tree): number {
  const records = recordsOf(capture, tree);
  if (capture.signal !== 'metrics') return records.length;
  return records.reduce(
    (sum, metric) =>
      sum + Object.values(metric).reduce<number>((points, kind) => points + pointsOf(kind as Tree), 0),
    0,
  );
}
const pointsOf = (kind: Tree): number => (typeof kind === 'object' ? lists(kind, 'dataPoints').length : 0);

function count(capture: Capture, body: Uint8Array | string): Partial<Record<Maker, number>> {
  const makers: Partial<Record<Maker, number>> = {};
  const add = (maker: Maker, records = 1): void => {
    makers[maker] = (makers[maker] ?? 0) + records;
  };
  const { signal } = capture;
  const json = typeof body === 'string';
  if (signal === 'logs')
    json
      ? decodeLogsJson(body, () => undefined, { onOther: add })
      : decodeLogsProtobuf(body, () => undefined, { onOther: add });
  else json ? countJson(signal, body, add) : countProtobuf(signal, body, add);
  return makers;
}

describe.each(captures)('$signal of $client', (capture) => {
  const json = JSON.stringify(capture.body);
  const protobuf = protobufOf(capture);
  const tree = oracleDecode(requests[capture.signal], protobuf) as Tree;

  it('are counted as a generated decoder counts them, in JSON and in protobuf', () => {
    const units = unitsOf(capture, tree);
    expect(units).toBeGreaterThan(0);
    for (const body of [json, protobuf]) {
      const counted = Object.values(count(capture, body)).reduce((sum, records) => sum + records, 0);
      expect(counted).toBe(units);
    }
  });

  it('are known by whose they are', () => {
    const wanted = { codex: 'codex', 'ai-sdk': 'gen_ai', 'gemini-cli': 'gemini_cli' }[capture.client];
    for (const body of [json, protobuf]) expect(Object.keys(count(capture, body))).toEqual([wanted]);
  });

  it('are malformed when they are cut off', () => {
    for (let length = 1; length < protobuf.length; length += 1 + Math.floor(protobuf.length / 40)) {
      const cut = protobuf.subarray(0, length);
      const asGenerated = (): unknown => oracleDecode(requests[capture.signal], cut);
      expect(() => count(capture, cut)).toThrow();
      expect(asGenerated).toThrow();
    }
    expect(() => count(capture, json.slice(0, -2))).toThrow();
  });
});

describe.each(captures.filter(({ signal }) => signal === 'logs'))('logs of $client', (capture) => {
  it('are read with every attribute as the generated decoder reads them', () => {
    const protobuf = protobufOf(capture);
    const generated = recordsOf(capture, oracleDecode(requests.logs, protobuf) as Tree);
    const keys = new Set(
      generated.flatMap((record) => lists(record, 'attributes').map(({ key }) => String(key))),
    );
    const select: Selection = { wantsEvent: () => true, attributes: [...keys] };
    const fromProtobuf: WireRecord[] = [];
    const fromJson: WireRecord[] = [];
    decodeLogsProtobuf(protobuf, (record) => fromProtobuf.push(record), { select });
    decodeLogsJson(JSON.stringify(capture.body), (record) => fromJson.push(record), { select });
    expect(fromProtobuf).toEqual(fromJson);
    expect(fromProtobuf.map(({ attributes }) => attributes)).toEqual(
      generated.map((record) =>
        Object.fromEntries(
          lists(record, 'attributes')
            .map(({ key, value }) => [key, simple(value as Tree)])
            .filter(([, value]) => value !== undefined),
        ),
      ),
    );
  });
});

/** An AnyValue of the generated decoder as ours gives it. */
function simple(value: Tree | undefined): unknown {
  if (value === undefined) return undefined;
  if (value.intValue !== undefined) return Number(value.intValue);
  if (value.arrayValue !== undefined) return lists(value.arrayValue as Tree, 'values').map(simple);
  return value.stringValue ?? value.boolValue ?? value.doubleValue;
}
