import { expect, test } from 'vitest';
import { captureLine } from './capture-line.ts';

const body = { resourceLogs: [{ scopeLogs: [{ logRecords: [{ observedTimeUnixNano: '5000000000' }] }] }] };

test('a sink’s line: its own arrival, and the zero that it counts from', () => {
  const line = JSON.stringify({ recvOffsetMs: 250, recvUnixMs: 10_250, signal: 'logs', body });
  expect(captureLine(line)).toEqual({
    signal: 'logs',
    atMs: 10_250,
    zeroMs: 10_000,
    body: JSON.stringify(body),
  });
});

test('a line of the Collector’s file exporter: arrival is the newest instant in it', () => {
  expect(captureLine(JSON.stringify(body))).toMatchObject({ signal: 'logs', atMs: 5000, zeroMs: undefined });
  const spans = { resourceSpans: [{ scopeSpans: [{ spans: [{ endTimeUnixNano: '7000000000' }] }] }] };
  expect(captureLine(JSON.stringify(spans))).toMatchObject({ signal: 'traces', atMs: 7000 });
});

test.each([
  ['no zero where the offset is missing', { recvUnixMs: 10 }, { atMs: 10, zeroMs: Number.NaN }],
  ['the offset alone', { recvOffsetMs: -70 }, { atMs: -70, zeroMs: 0 }],
  ['neither', {}, { atMs: undefined, zeroMs: undefined }],
  ['instants that are none', { recvUnixMs: 1e300, recvOffsetMs: 'x' }, { atMs: undefined }],
])('%s', (_, times, expected) => {
  expect(captureLine(JSON.stringify({ ...times, body }))).toMatchObject(expected);
});

test.each(['', '{', 'null', '[]', '7', '{"t":1}', '{"body":"base64"}', '{"body":{"x":1}}'])(
  '%j is no line of a capture',
  (line) => {
    expect(captureLine(line)).toBeUndefined();
  },
);
