import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { CaptureBytes } from './capture-lines.ts';
import { readCapture } from './read-capture.ts';

const request = (name: string): string => JSON.stringify({ resourceLogs: [], name });
const lines = [request('one'), request('zwei ü 🙂'), request('three')];
const text = Buffer.from(`${lines.join('\n')}\n`);

async function* inPieces(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

const bodies = async (bytes: CaptureBytes): Promise<readonly string[]> =>
  (await readCapture(bytes, 1e9)).captured.map(({ body }) => body.toString());

test.each([
  ['plain', text],
  ['without a last newline', text.subarray(0, text.length - 1)],
  ['gzip', gzipSync(text)],
  ['gzip files joined', Buffer.concat(lines.map((line, at) => gzipSync(at === 2 ? line : `${line}\n`)))],
])('lines come whole whatever pieces they are read in: %s', async (_, bytes) => {
  expect(await bodies(bytes)).toEqual(lines);
  for (const length of [1, 2, 7, 100]) expect(await bodies(inPieces(bytes, length))).toEqual(lines);
});

test('a byte order mark, CRLF and blank lines are no part of it', async () => {
  const windows = Buffer.from(`\u{feff}${lines.join('\r\n\r\n')}\r\n`);
  const { lines: count, captured } = await readCapture(inPieces(windows, 3), 1e9);
  expect(count).toBe(3);
  expect(captured.map(({ body }) => body.toString().trim())).toEqual(lines);
});

test('more bytes than a text can hold are read, as long as each line can be', async () => {
  const filler = Buffer.alloc(1024 * 1024, ' ');
  async function* huge(): AsyncGenerator<Uint8Array> {
    // One line that is longer than any receiver takes, and blank ones, 600 MiB in all.
    yield Buffer.from(`${request('first')}\n`);
    for (let mib = 0; mib < 100; mib++) yield Buffer.from(filler.map(() => 0x78));
    filler[0] = 0x0a;
    for (let mib = 0; mib < 500; mib++) yield filler;
    yield Buffer.from(`\n${request('last')}`);
  }
  const { lines: count, captured } = await readCapture(huge(), 1e9);
  expect(captured.map(({ body }) => body.toString())).toEqual([request('first'), request('last')]);
  expect(count).toBe(3);
});

test('gzip that is cut gives what is there and is called cut, wherever that is', async () => {
  const packed = gzipSync(text, { level: 0 });
  for (let end = packed.length - 1; end > 20; end -= 9) {
    const { isCut, captured } = await readCapture(inPieces(packed.subarray(0, end), 16), 1e9);
    expect(isCut).toBe(true);
    const whole = lines.filter((line) => packed.subarray(0, end).includes(line));
    expect(captured.map(({ body }) => body.toString())).toEqual(whole);
  }
  expect((await readCapture(packed, 1e9)).isCut).toBe(false);
  expect((await readCapture(text, 1e9)).isCut).toBe(false);
});

test('gzip that is damaged, and what takes more memory than there is, are told in words', async () => {
  const packed = gzipSync(text, { level: 0 });
  packed[30] = (packed[30] ?? 0) ^ 1;
  await expect(readCapture(packed, 1e9)).rejects.toThrow('its gzip is damaged (incorrect data check)');
  await expect(readCapture(text, 40)).rejects.toThrow('take more than the 0 MiB of memory that are free');
});
