import { isDeepStrictEqual } from 'node:util';
import { cleanText, decodeRecord, maxTextLength } from '@turnwatch/protocol';
import {
  countJson,
  countProtobuf,
  decodeLogsJson,
  decodeLogsProtobuf,
  OtlpError,
  type RecordSink,
} from '@turnwatch/protocol/otlp';
import { oracleDecode } from '../../packages/protocol/fixtures/otlp-oracle.ts';

// What must hold for any bytes. An input is one byte that chooses how the rest is read, then that.

const signals = ['logs', 'traces', 'metrics'] as const;
type SignalName = (typeof signals)[number];
const messages = {
  logs: 'ExportLogsServiceRequest',
  traces: 'ExportTraceServiceRequest',
  metrics: 'ExportMetricsServiceRequest',
} as const;

/** What protobuf forbids, and the generated decoder skips over: groups, and numbers of more than ten bytes. */
const tolerated = ['a wire type that is not in use', 'a number longer than ten bytes'];

/** The input that has this body. */
export function inputOf(signal: SignalName, encoding: 'protobuf' | 'json', body: Uint8Array): Uint8Array {
  const mode = signals.indexOf(signal) * 2 + (encoding === 'json' ? 1 : 0);
  return Uint8Array.from([mode, ...body]);
}

/** @throws where a decoder throws anything but its own error, gives text that may harm, or contradicts the generated one. */
export function check(input: Uint8Array): void {
  const mode = (input[0] ?? 0) % 6;
  const signal = signals[Math.floor(mode / 2)] ?? 'logs';
  const body = input.subarray(1);
  if (mode % 2 === 1) {
    checkJson(signal, body);
    return;
  }
  const ours = attempt(() => read(signal, 'protobuf', body));
  const generated = generatedCount(signal, body);
  if (generated === undefined || tolerated.some((fault) => ours.fault?.includes(fault))) return;
  if (ours.fault !== undefined) throw new Error(`refused what the generated decoder reads: ${ours.fault}`);
  // Of a field that may be there once, the generated decoder keeps the last; a metric may come with two kinds of points.
  if (signal === 'metrics' ? ours.records < generated : ours.records !== generated)
    throw new Error(`${ours.records} records, and ${generated} by the generated decoder`);
}

function checkJson(signal: SignalName, body: Uint8Array): void {
  const ours = attempt(() => read(signal, 'json', body));
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder().decode(body));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    if (ours.fault === undefined) throw new Error('took what is no JSON');
    return;
  }
  if (ours.fault?.startsWith('not JSON') && !ours.fault.includes('nested too deep'))
    throw new Error(`took JSON for none: ${ours.fault}`);
  if (ours.fault === undefined && (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)))
    throw new Error('took what is no object');
}

interface Attempt {
  readonly records: number;
  readonly fault?: string;
}

function attempt(decode: () => number): Attempt {
  try {
    return { records: decode() };
  } catch (error) {
    if (error instanceof OtlpError) return { records: 0, fault: error.message };
    throw error;
  }
}

function read(signal: SignalName, encoding: 'protobuf' | 'json', body: Uint8Array): number {
  if (signal === 'logs') {
    let matched = 0;
    const sink: RecordSink = (record) => {
      matched++;
      const decoded = decodeRecord(record);
      if (!isDeepStrictEqual(decodeRecord(record), decoded)) throw new Error('one record, two signals');
      if ('signal' in decoded) checkTexts(decoded.signal, 'signal');
      if ('refused' in decoded && decoded.refused.length > 500)
        throw new Error('a reason that quotes what was sent');
    };
    const limits = { onOther: () => undefined };
    const result =
      encoding === 'json' ? decodeLogsJson(body, sink, limits) : decodeLogsProtobuf(body, sink, limits);
    if (result.matched !== matched) throw new Error('matched records are not those that were given');
    return result.seen;
  }
  let counted = 0;
  const count = encoding === 'json' ? countJson : countProtobuf;
  const seen = count(signal, body, (_maker, records) => {
    counted += records;
  });
  if (seen !== counted) throw new Error('records are nobody’s');
  return seen;
}

/** Everything in a signal reaches other agents' prompts and people's terminals. */
function checkTexts(value: unknown, at: string): void {
  if (typeof value === 'string') {
    if (value.length > maxTextLength) throw new Error(`${at} is longer than ${maxTextLength}`);
    if (cleanText(value) !== value) throw new Error(`${at} is not clean`);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) checkTexts(inner, `${at}.${key}`);
  } else if (typeof value === 'number' && !Number.isFinite(value))
    throw new Error(`${at} is no finite number`);
}

type Tree = { readonly [key: string]: readonly Tree[] | undefined };

/** Undefined: the generated decoder refuses it. */
function generatedCount(signal: SignalName, body: Uint8Array): number | undefined {
  let tree: Tree;
  try {
    tree = oracleDecode(messages[signal], body) as Tree;
  } catch {
    return undefined;
  }
  const inner = (nodes: readonly Tree[], key: string): readonly Tree[] =>
    nodes.flatMap((node) => node[key] ?? []);
  const [resources, scopes, records] = {
    logs: ['resourceLogs', 'scopeLogs', 'logRecords'],
    traces: ['resourceSpans', 'scopeSpans', 'spans'],
    metrics: ['resourceMetrics', 'scopeMetrics', 'metrics'],
  }[signal] as [string, string, string];
  const found = inner(inner(inner([tree], resources), scopes), records);
  if (signal !== 'metrics') return found.length;
  const kinds = ['gauge', 'sum', 'histogram', 'exponentialHistogram', 'summary'];
  return found.reduce(
    (sum, metric) =>
      sum + kinds.reduce((points, kind) => points + (one(metric[kind]).dataPoints?.length ?? 0), 0),
    0,
  );
}

function one(kind: unknown): Tree {
  return (kind ?? {}) as Tree;
}
