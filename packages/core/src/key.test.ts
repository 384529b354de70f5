import { expect, test } from 'vitest';
import { baselineKey, parseKey, phaseKey } from './key.ts';

test('a phase with evidence has a key of its own (report 000)', () => {
  expect(phaseKey('first_token', false)).toBe('first_token');
  expect(phaseKey('first_token', true)).toBe('first_token+evidence');
  expect(baselineKey('acme', 'm1', 'text+evidence')).toBe('acme|m1|text+evidence');
});

test.each([
  ['acme', 'm1'],
  ['a|b', 'c|d'],
  ['org/team', 'model 1+2%'],
  ['', ''],
])('names with any character come back: %j %j', (provider, model) => {
  expect(parseKey(baselineKey(provider, model, 'text'))).toEqual({ provider, model, phase: 'text' });
});

test('names cannot slip into another part of the key', () => {
  expect(baselineKey('a|b', 'c', 'text')).not.toBe(baselineKey('a', 'b|c', 'text'));
});

test('a key that is cut short reads as empty parts', () => {
  expect(parseKey('acme')).toEqual({ provider: 'acme', model: '', phase: '' });
  expect(parseKey('')).toEqual({ provider: '', model: '', phase: '' });
});

test('a key is the same however many models there have been', () => {
  const key = baselineKey('p', 'a|b c', 'text');
  for (let i = 0; i < 12_000; i++) baselineKey(`p${i % 3}`, `model-${i}`, 'text');
  expect(baselineKey('p', 'a|b c', 'text')).toBe(key);
  expect(baselineKey('p', 'a|b c', 'text')).toBe(key);
  expect(baselineKey('p', 'a|b c', 'agent')).toBe('p|a%7Cb%20c|agent');
  expect(baselineKey('p', 'a|b c', 'text+evidence')).toBe('p|a%7Cb%20c|text+evidence');
});
