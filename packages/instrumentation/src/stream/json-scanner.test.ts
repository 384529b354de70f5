import fc from 'fast-check';
import { expect, test } from 'vitest';
import { longestKept } from './carry.ts';
import { JsonScanner } from './json-scanner.ts';

const decoder = new TextDecoder();

function scan(pieces: readonly Uint8Array[]): string[] {
  const found: string[] = [];
  const scanner = new JsonScanner({
    data: (bytes, start, end, whole) =>
      found.push(whole ? decoder.decode(bytes.subarray(start, end)) : `head of ${end - start}`),
    more: () => found.push('more'),
  });
  for (const piece of pieces) scanner.push(piece);
  return found;
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 });

test.each([
  ['an object a line', (texts: readonly string[]) => texts.map((text) => `${text}\n`).join('')],
  ['an array sent piece by piece', (texts: readonly string[]) => `[${texts.join('\n,\r\n')}]`],
])('%s is found object by object, byte by byte', (_, stream) => {
  fc.assert(
    fc.property(fc.array(object), (objects) => {
      const texts = objects.map((it) => JSON.stringify(it));
      const bytes = bytesOf(stream(texts));
      expect(scan([bytes])).toEqual(texts);
      expect(scan(Array.from(bytes, (byte) => new Uint8Array([byte])))).toEqual(texts);
    }),
  );
});

test('of an object beyond what is kept the head is told, and each further piece', () => {
  const piece = bytesOf('y'.repeat(longestKept));
  expect(scan([bytesOf('{"a":"'), piece, piece, bytesOf('"}{"b":1}')])).toEqual([
    `head of ${longestKept}`,
    'more',
    'more',
    '{"b":1}',
  ]);
});
