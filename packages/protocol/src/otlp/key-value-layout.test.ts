import { expect, test } from 'vitest';
import { Attr, Event } from '../names.ts';
import type { WireRecord } from '../record.ts';
import { decodeLogsProtobuf } from './decode-protobuf.ts';

// A KeyValue that is laid out as no exporter does it, and as protobuf allows.

const bytes = (text: string): number[] => [...new TextEncoder().encode(text)];
const field = (number: number, content: readonly number[]): number[] => [
  (number << 3) | 2,
  ...(content.length < 128 ? [content.length] : [(content.length & 0x7f) | 0x80, content.length >> 7]),
  ...content,
];
const key = (name: string): number[] => field(1, bytes(name));
const value = (text: string): number[] => field(2, field(1, bytes(text)));

function attributesOf(keyValue: readonly number[]): WireRecord['attributes'] | undefined {
  const record = [...field(12, bytes(Event.turnStarted)), ...field(6, keyValue)];
  let found: WireRecord | undefined;
  decodeLogsProtobuf(Uint8Array.from(field(1, field(2, field(2, record)))), (each) => {
    found = each;
  });
  return found?.attributes;
}

test.each([
  ['key and value', [...key(Attr.turnId), ...value('A')], { [Attr.turnId]: 'A' }],
  ['the value first', [...value('A'), ...key(Attr.turnId)], { [Attr.turnId]: 'A' }],
  [
    'a field of a later version behind',
    [...key(Attr.turnId), ...value('A'), 0x18, 1],
    { [Attr.turnId]: 'A' },
  ],
  [
    'the last of two values counts',
    [...key(Attr.turnId), ...value('A'), ...value('B')],
    { [Attr.turnId]: 'B' },
  ],
  ['and of two keys', [...key('x'), ...value('A'), ...key(Attr.turnId)], { [Attr.turnId]: 'A' }],
  ['a key that is not known', [...key('x'), ...value('A')], {}],
  ['no value', key(Attr.turnId), {}],
  ['no key', value('A'), {}],
  ['nothing', [], {}],
])('%s', (_, keyValue, attributes) => {
  expect(attributesOf(keyValue)).toEqual(attributes);
});

test('an unknown attribute whose value reaches beyond it is malformed', () => {
  expect(() => attributesOf([...key('x'), 0x12, 9, 1])).toThrow('reaches beyond');
});
