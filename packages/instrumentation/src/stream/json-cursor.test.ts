import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ascii, JsonCursor } from './json-cursor.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function openAt(text: string, key?: string): JsonCursor {
  const cursor = new JsonCursor();
  const bytes = bytesOf(text);
  if (!cursor.open(bytes, 0, bytes.length)) throw new Error('no object');
  while (cursor.key()) {
    if (key !== undefined && cursor.is(ascii(key))) return cursor;
    cursor.skip();
  }
  return cursor;
}

const blank = fc.constantFrom('', ' ', '\t', ' \r\n ');

test('any object is walked to its end, however it is laid out', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(4), blank, (value, indent, gap) => {
      const text = gap + JSON.stringify(value, null, indent) + gap;
      const bytes = bytesOf(text);
      const cursor = new JsonCursor();
      expect(cursor.open(bytes, 0, bytes.length)).toBe(true);
      let keys = 0;
      while (cursor.key()) {
        keys++;
        cursor.skip();
      }
      expect(cursor.malformed).toBe(false);
      expect(keys).toBe(Object.keys(value).length);
    }),
  );
});

test('a key is found at its own depth only, and never inside of a text', () => {
  const text = JSON.stringify({ a: { content: 'deep' }, b: '"content":"said"', content: 'mine' });
  expect(openAt(text, 'content').says(ascii('mine'))).toBe(true);
});

test('a cut object is malformed at every place it can be cut', () => {
  const text = JSON.stringify({ a: [1, { b: 'x"y\\' }], c: null, d: true });
  for (let length = 1; length < text.length; length++)
    expect(openAt(text.slice(0, length)).malformed, text.slice(0, length)).toBe(true);
});

test('values are told apart without decoding', () => {
  const text = '{ "a" : "", "b": "x", "c": null, "d": [ ], "e": [0], "f": true, "g": {} }';
  expect(openAt(text, 'a').hasText).toBe(false);
  expect(openAt(text, 'b').hasText).toBe(true);
  expect(openAt(text, 'b').string).toBe('x');
  expect(openAt(text, 'c').isNull).toBe(true);
  expect(openAt(text, 'd').hasElements).toBe(false);
  expect(openAt(text, 'e').hasElements).toBe(true);
  expect(openAt(text, 'f').isTrue).toBe(true);
  expect(openAt(text, 'g').isObject).toBe(true);
});

test('what is no object is not opened', () => {
  for (const text of ['', '[1]', '"x"', 'x']) {
    const bytes = bytesOf(text);
    expect(new JsonCursor().open(bytes, 0, bytes.length)).toBe(false);
  }
});
