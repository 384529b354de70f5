import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oracleEncode } from '../../fixtures/otlp-oracle.ts';
import { wireRecord } from '../../fixtures/wire-records.ts';
import { Attr } from '../names.ts';
import type { WireRecord } from '../record.ts';
import { decodeLogsJson } from './decode-json.ts';
import { decodeLogsProtobuf } from './decode-protobuf.ts';
import { encodeLogsJson } from './encode-json.ts';
import { encodeLogsProtobuf } from './encode-protobuf.ts';
import { OtlpError } from './error.ts';
import type { DecodeResult, RecordSink } from './selection.ts';

const utf8 = new TextEncoder();
const ignore: RecordSink = () => undefined;

function faultOf(decode: () => DecodeResult): OtlpError | undefined {
  try {
    decode();
    return undefined;
  } catch (error) {
    if (error instanceof OtlpError) return error;
    throw error;
  }
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return [...bytes, rest];
}

function field(tag: number, body: Uint8Array): Uint8Array {
  const head = [tag, ...varint(body.length)];
  const bytes = new Uint8Array(head.length + body.length);
  bytes.set(head);
  bytes.set(body, head.length);
  return bytes;
}

const sample: WireRecord[] = [
  {
    eventName: 'turnwatch.turn.heartbeat',
    timeMs: 1_764_500_560_123,
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    spanId: '00f067aa0ba902b7',
    attributes: { [Attr.turnId]: 'turn_é', [Attr.seq]: -5, [Attr.lastMs]: 1.5, [Attr.callIds]: ['a', 'b'] },
    service: 'svc',
  },
  { eventName: 'turnwatch.canary', timeMs: 3, attributes: { [Attr.worker]: true } },
];

/** Forty megabytes of two bytes each. */
const twoByteFields = new Uint8Array(40_000_000).fill(0x0a).map((byte, at) => (at % 2 === 0 ? byte : 0));

/** Two million empty log records in four megabytes. */
const empties = field(
  0x0a,
  field(
    0x12,
    Uint8Array.from({ length: 4_000_000 }, (_, at) => (at % 2 === 0 ? 0x12 : 0)),
  ),
);

describe('hostile protobuf', () => {
  it('cut off at any byte is malformed or a shorter valid request', () => {
    const whole = encodeLogsProtobuf(sample);
    const boundary = encodeLogsProtobuf(sample.slice(0, 1)).length;
    for (let length = 0; length < whole.length; length++) {
      const fault = faultOf(() => decodeLogsProtobuf(whole.subarray(0, length), ignore));
      if (length === 0 || length === boundary) expect(fault).toBeUndefined();
      else expect(fault?.kind).toBe('malformed');
    }
  });

  it('of random bytes, or with random bytes changed, gives records or an OtlpError', () => {
    const read = (bytes: Uint8Array): void => {
      faultOf(() => decodeLogsProtobuf(bytes, ignore));
    };
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), read), { numRuns: 3000 });
    fc.assert(
      fc.property(
        fc.array(wireRecord, { minLength: 1, maxLength: 3 }),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 5 }),
        (records, changes) => {
          const bytes = encodeLogsProtobuf(records);
          for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
          read(bytes);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('with two million empty records stops at the limit and keeps nothing', () => {
    const found: WireRecord[] = [];
    const before = process.memoryUsage().heapUsed;
    const fault = faultOf(() => decodeLogsProtobuf(empties, (record) => found.push(record)));
    expect(fault?.kind).toBe('too_many_records');
    expect(fault?.result).toEqual({ seen: 20_001, matched: 0 });
    expect(found).toHaveLength(0);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(32 * 1024 * 1024);
  });

  it('with more fields than any real request stops at the limit, whatever they are', () => {
    // Resources, scopes, attributes of one resource: none of them is a log record.
    for (const body of [twoByteFields, field(0x0a, twoByteFields), field(0x0a, field(0x0a, twoByteFields))]) {
      const fault = faultOf(() => decodeLogsProtobuf(body, ignore));
      expect([fault?.kind, fault?.message]).toEqual(['too_many_records', expect.stringContaining('fields')]);
    }
  });

  it('may have exactly as many records as the limit allows', () => {
    const three = encodeLogsProtobuf([...sample, ...sample].slice(0, 3));
    expect(decodeLogsProtobuf(three, ignore, { maxRecords: 3 })).toEqual({ seen: 3, matched: 3 });
    expect(faultOf(() => decodeLogsProtobuf(three, ignore, { maxRecords: 2 }))?.result).toEqual({
      seen: 3,
      matched: 2,
    });
  });

  it('nested a hundred thousand deep is skipped', () => {
    // Sizes from the inside out, bytes from the outside in: array values in array values.
    const levels: number[][] = [];
    let size = 0;
    for (let depth = 0; depth < 100_000; depth++) {
      const head = [depth % 2 === 0 ? 0x0a : 0x2a, ...varint(size)];
      size += head.length;
      levels.push(head);
    }
    const value = Uint8Array.from(levels.reverse().flat());
    const key = field(0x0a, utf8.encode(Attr.callIds));
    const keyValue = Uint8Array.from([...key, ...field(0x12, value)]);
    const name = field(0x62, utf8.encode('turnwatch.canary'));
    for (const inside of [field(0x32, keyValue), field(0x2a, value)]) {
      const bytes = field(0x0a, field(0x12, field(0x12, Uint8Array.from([...inside, ...name]))));
      const found: WireRecord[] = [];
      decodeLogsProtobuf(bytes, (record) => found.push(record));
      expect(found).toEqual([{ eventName: 'turnwatch.canary', timeMs: 0, attributes: {} }]);
    }
  });

  it.each<[string, number[]]>([
    ['a length of 2^63', [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]],
    ['a length of 2^32 - 1', [0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]],
    ['a varint without an end', [0x0a, ...Array<number>(40).fill(0xff)]],
    ['a tag without an end', Array<number>(40).fill(0xff)],
    ['a field number 0', [0x02, 0x00]],
    ['a group', [0x0b, 0x0c]],
    ['wire type 7', [0x0f]],
    ['a child longer than its parent', [0x0a, 0x02, 0x12, 0x05, 0, 0, 0, 0, 0]],
  ])('with %s is malformed', (_, bytes) => {
    expect(faultOf(() => decodeLogsProtobuf(Uint8Array.from(bytes), ignore))?.kind).toBe('malformed');
  });

  it('with a known field of the wrong wire type has an unknown field', () => {
    const logRecord = [0x30, 0x05, 0x4d, 1, 2, 3, 4, ...field(0x62, utf8.encode('turnwatch.canary'))];
    const bytes = field(0x0a, field(0x12, field(0x12, Uint8Array.from(logRecord))));
    expect(decodeLogsProtobuf(bytes, ignore)).toEqual({ seen: 1, matched: 1 });
  });

  it('with a list longer than any real one is cut, so that its count no longer fits', () => {
    const ids = Array.from({ length: 20_000 }, () => 'x');
    const record = { eventName: 'turnwatch.canary', timeMs: 0, attributes: { [Attr.openTurns]: ids } };
    const lengths: unknown[] = [];
    const sink: RecordSink = (found) => lengths.push((found.attributes[Attr.openTurns] as string[]).length);
    decodeLogsProtobuf(encodeLogsProtobuf([record]), sink);
    decodeLogsJson(encodeLogsJson([record]), sink);
    expect(lengths).toEqual([16_384, 16_384]);
  });

  it('with a string of megabytes is read to a few kilobytes', () => {
    const record = {
      eventName: 'turnwatch.canary',
      timeMs: 0,
      attributes: { [Attr.path]: 'x'.repeat(3_000_000) },
    };
    const lengths: number[] = [];
    const sink: RecordSink = (found) => lengths.push(String(found.attributes[Attr.path]).length);
    decodeLogsProtobuf(encodeLogsProtobuf([record]), sink);
    decodeLogsJson(encodeLogsJson([record]), sink);
    expect(lengths).toEqual([4096, 4096]);
  });

  it('with mixed lists, lists in lists or bytes in one attribute still reads its neighbours', () => {
    const values = [{ stringValue: 'a' }, { intValue: 1 }];
    const bytes = oracleEncode('ExportLogsServiceRequest', {
      resourceLogs: [
        {
          scopeLogs: [
            {
              logRecords: [
                {
                  eventName: 'turnwatch.canary',
                  attributes: [
                    { key: Attr.callIds, value: { arrayValue: { values } } },
                    { key: Attr.callNames, value: { arrayValue: { values: [{ arrayValue: { values } }] } } },
                    { key: Attr.path, value: { stringValue: 'here' } },
                    { key: Attr.turnId, value: { bytesValue: [1] } },
                  ],
                },
              ],
            },
          ],
        },
      ],
    });
    const found: WireRecord[] = [];
    decodeLogsProtobuf(bytes, (record) => found.push(record));
    expect(found[0]?.attributes).toStrictEqual({ [Attr.path]: 'here' });
  });

  it('lets an error of the sink through', () => {
    const refuse: RecordSink = () => {
      throw new RangeError('sink');
    };
    expect(() => decodeLogsProtobuf(encodeLogsProtobuf(sample), refuse)).toThrow(RangeError);
    expect(() => decodeLogsJson(encodeLogsJson(sample), refuse)).toThrow(RangeError);
  });
});

describe('hostile JSON', () => {
  it('cut off at any character is malformed', () => {
    const whole = encodeLogsJson(sample);
    for (let length = 0; length < whole.length; length++) {
      expect(faultOf(() => decodeLogsJson(whole.slice(0, length), ignore))?.kind).toBe('malformed');
    }
  });

  it('is accepted exactly where JSON.parse finds an object', () => {
    const judge = (text: string): void => {
      let parsed: unknown;
      try {
        parsed = JSON.parse(text);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
      }
      const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
      const list: unknown = isObject ? (parsed as { resourceLogs?: unknown }).resourceLogs : undefined;
      const fits = list === undefined || list === null || (Array.isArray(list) && list.length === 0);
      const fault = faultOf(() => decodeLogsJson(text, ignore));
      // A list that has elements may fit or not; that is for the tests of shape.
      if (isObject && Array.isArray(list) && !fits) return;
      expect(fault === undefined, text).toBe(isObject && fits);
    };
    fc.assert(fc.property(fc.json(), judge));
    fc.assert(
      fc.property(fc.json(), (text) => judge(`{"a":${text},"resourceLogs":${text}}`)),
      { numRuns: 500 },
    );
    // Real structure with characters changed, so that the faults are subtle.
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom(...'{}[]",:\\ 0-.eEtu\n'), (at, char) => {
        const text = '{"a":[1,-2.5e+3,{"b":null,"c":[true,false]},"x\\u0041\\n"],"d":{}}';
        const place = at % text.length;
        judge(text.slice(0, place) + char + text.slice(place + 1));
        judge(text.slice(0, place) + char + text.slice(place));
        judge(text.slice(0, place) + text.slice(place + 1));
      }),
      { numRuns: 3000 },
    );
  });

  it('with two million empty records stops at the limit', () => {
    const body = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[${'{},'.repeat(2_000_000)}{}]}]}]}`;
    const before = process.memoryUsage().heapUsed;
    const fault = faultOf(() => decodeLogsJson(body, ignore));
    expect(fault?.kind).toBe('too_many_records');
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1024 * 1024);
  });

  it.each([
    ['in a field that is not read', '{"x":', '}'],
    ['in the records', '{"resourceLogs":', '}'],
    ['in a value', '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":[{"value":', '}]}]}]}]}'],
  ])('nested a hundred thousand deep %s is malformed', (_, head, tail) => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const body = `${head}${open.repeat(100_000)}1${close.repeat(100_000)}${tail}`;
      expect(faultOf(() => decodeLogsJson(body, ignore))?.kind).toBe('malformed');
    }
  });

  it.each([
    '',
    'null',
    '[]',
    '7',
    '"x"',
    '{"a":1}x',
    '{"a":1,}',
    '{"a" 1}',
    "{'a':1}",
    '{"a":"\u0001"}',
    '{"a":"\\x"}',
  ])('such as %j is malformed', (body) => {
    expect(faultOf(() => decodeLogsJson(body, ignore))?.kind).toBe('malformed');
  });

  it.each([
    ['[]', 'the request must be an object, not a list, at character 0'],
    ['"x"', 'the request must be an object, not a string, at character 0'],
    ['null', 'the request must be an object, not null, at character 0'],
    ['{"resourceLogs": 5}', 'resourceLogs must be a list, not a number, at character 17'],
    ['{"resourceLogs":{}}', 'resourceLogs must be a list, not an object, at character 16'],
    [
      '{"resourceLogs":[true]}',
      'an element of resourceLogs must be an object, not a boolean, at character 17',
    ],
    ['{"resourceLogs":[{"resource":[]}]}', 'resource must be an object, not a list, at character 29'],
    ['{"resourceLogs":[{"scopeLogs":{}}]}', 'scopeLogs must be a list, not an object, at character 30'],
    ['{"resourceLogs":[{"scopeLogs":[7]}]}', 'an element of scopeLogs must be an object, not a number'],
    ['{"resourceLogs":[{"scopeLogs":[{"scope":"s"}]}]}', 'scope must be an object, not a string'],
    ['{"resourceLogs":[{"scopeLogs":[{"logRecords":"x"}]}]}', 'logRecords must be a list, not a string'],
    ['{"resourceLogs":[{"scopeLogs":[{"logRecords":[[]]}]}]}', 'a log record must be an object, not a list'],
    [
      '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":{}}]}]}]}',
      'attributes must be a list, not an object',
    ],
    [
      '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":[{"key":"turnwatch.seq","value":7}]}]}]}]}',
      'the value of an attribute must be an object, not a number',
    ],
  ])('of the wrong shape, such as %s, is told what is wrong', (body, message) => {
    const fault = faultOf(() => decodeLogsJson(body, ignore));
    expect(fault?.kind).toBe('malformed');
    expect(fault?.message).toContain(message);
  });

  it('with nulls for what is absent, and scalars of the wrong kind, has nothing to read there', () => {
    const logRecords = [
      null,
      { eventName: 7 },
      { eventName: 'turnwatch.canary', attributes: null, traceId: 5 },
    ];
    const attributes = [{ key: 'service.name', value: { intValue: '1' } }, null];
    const body = JSON.stringify({
      resourceLogs: [null, { resource: { attributes }, scopeLogs: [{ scope: null, logRecords }] }],
    });
    const found: WireRecord[] = [];
    expect(decodeLogsJson(body, (record) => found.push(record))).toEqual({ seen: 3, matched: 1 });
    expect(found).toEqual([{ eventName: 'turnwatch.canary', timeMs: 0, attributes: {} }]);
  });
});
