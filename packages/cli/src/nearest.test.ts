import { expect, test } from 'vitest';
import { nearest } from './nearest.ts';

const commands = ['demo', 'serve', 'replay'];

test.each([
  ['sevre', 'serve'],
  ['serv', 'serve'],
  ['reply', 'replay'],
  ['dmeo', 'demo'],
  ['rep', 'replay'],
])('%s means %s', (word, meant) => {
  expect(nearest(word, commands)).toBe(meant);
});

test.each(['', 'x', 'kubernetes', 'mode'])('%s means none of them', (word) => {
  expect(nearest(word, commands)).toBeUndefined();
});
