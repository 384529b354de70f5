import fc from 'fast-check';
import { expect, test } from 'vitest';
import { longestKept } from './carry.ts';
import { SseScanner } from './sse-scanner.ts';

const decoder = new TextDecoder();

function scan(pieces: readonly Uint8Array[]): string[] {
  const found: string[] = [];
  const text = (bytes: Uint8Array, start: number, end: number): string =>
    decoder.decode(bytes.subarray(start, end));
  const scanner = new SseScanner({
    comment: (...at) => found.push(`comment ${text(...at)}`),
    event: (...at) => found.push(`event ${text(...at)}`),
    data: (bytes, start, end, whole) => found.push(`data${whole ? '' : ' head'} ${text(bytes, start, end)}`),
    more: () => found.push('more'),
    dispatch: () => found.push('dispatch'),
  });
  for (const piece of pieces) scanner.push(piece);
  scanner.end();
  return found;
}

/** Cut at these places, empty pieces included. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const borders = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].sort(
    (a, b) => a - b,
  );
  return borders.slice(1).map((border, index) => bytes.slice(borders[index], border));
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

test('comments, event names, data and event ends are told apart; other fields are not told', () => {
  const stream =
    ': ping\nevent: message_start\ndata: {"a":1}\ndata:b\nid: 3\nretry: 5\nnonsense\n\n:\ndata\n';
  expect(scan([bytesOf(stream)])).toEqual([
    'comment  ping',
    'event message_start',
    'data {"a":1}',
    'data b',
    'dispatch',
    'comment ',
    'data ',
  ]);
});

test('a byte order mark before the first line is no part of it', () => {
  expect(scan([new Uint8Array([0xef]), new Uint8Array([0xbb, 0xbf]), bytesOf('data: x\n')])).toEqual([
    'data x',
  ]);
});

test('a last line without a line end counts', () => {
  expect(scan([bytesOf('data: [DO'), bytesOf('NE]')])).toEqual(['data [DONE]']);
});

test('fields that only begin like data are none', () => {
  expect(scan([bytesOf('database: x\nevents: y\n')])).toEqual([]);
});

test('of a line beyond what is kept the head is told, and each further piece', () => {
  const piece = bytesOf('y'.repeat(longestKept / 2));
  const found = scan([bytesOf('data: {"type":'), piece, piece, piece, bytesOf('end\n\ndata: z\n')]);
  expect(found.map((line) => line.slice(0, 24))).toEqual([
    'data head {"type":yyyyyy',
    'more',
    'more',
    'dispatch',
    'data z',
  ]);
  expect(found[0]).toHaveLength('data head '.length + longestKept - 'data: '.length);
});

test('chunk borders and kinds of line ends change nothing', () => {
  const line = fc.oneof(
    fc.constantFrom(
      '',
      ':',
      ': ping',
      'event: ping',
      'data: {"text":"ü 漢字 🙂"}',
      'data:x',
      'data',
      'id: 1',
    ),
    fc.string({ unit: 'grapheme' }).map((text) => `data: ${text.replace(/[\r\n]/g, '')}`),
  );
  fc.assert(
    fc.property(
      fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r'))),
      fc.array(fc.nat(), { maxLength: 12 }),
      (lines, places) => {
        // An empty line after a lone CR would make the two one CRLF.
        const stream = lines.map(([text, lineEnd]) => text + (text === '' ? '\r\n' : lineEnd)).join('');
        const plain = lines.map(([text]) => `${text}\n`).join('');
        expect(scan(cut(bytesOf(stream), places))).toEqual(scan([bytesOf(plain)]));
      },
    ),
    { numRuns: 500 },
  );
});
