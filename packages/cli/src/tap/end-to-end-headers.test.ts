import { expect, test } from 'vitest';
import { endToEndHeaders } from './end-to-end-headers.ts';

test('keeps names, order and doubles, and drops what is of the connection or named by it', () => {
  const raw = [
    'Host',
    'tap',
    'X-One',
    '1',
    'Connection',
    'keep-alive, X-Hop',
    'x-hop',
    'h',
    'x-one',
    '2',
    'Transfer-Encoding',
    'chunked',
    'Trailer',
    'x-sum',
    'Content-Encoding',
    'gzip',
  ];
  expect(endToEndHeaders(raw, ['host'])).toEqual([
    'X-One',
    '1',
    'x-one',
    '2',
    'Trailer',
    'x-sum',
    'Content-Encoding',
    'gzip',
  ]);
});
