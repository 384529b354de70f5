import { expect, test } from 'vitest';
import { spellStill } from '../page/words.ts';
import { spellMs } from './spell-ms.ts';

test.each([
  [0, '0 s'],
  [449, '0.4 s'],
  [9940, '9.9 s'],
  [76_640, '76 s'],
  [119_999, '119 s'],
  [307_900, '5 m 7 s'],
  [7_199_999, '119 m 59 s'],
  [8_999_000, '2 h 29 m'],
])('%i ms are %s, in the sentence as in the table below it', (ms, words) => {
  expect([spellMs(ms), spellStill(ms)]).toEqual([words, words]);
});

test('what has no end is ever', () => {
  expect(spellMs(Number.POSITIVE_INFINITY)).toBe('ever');
});
