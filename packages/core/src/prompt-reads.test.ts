import { describe, expect, test } from 'vitest';
import {
  emptyPromptReads,
  expectedReadMs,
  learnRead,
  type PromptRead,
  type PromptReads,
} from './prompt-reads.ts';

const taught = (reads: readonly PromptRead[]): PromptReads => reads.reduce(learnRead, emptyPromptReads);
const same = (count: number, tokens: number, ms: number): PromptRead[] =>
  Array.from({ length: count }, () => ({ tokens, ms }));

test('nothing is expected before 20 reads of more than 2 000 tokens (report 000)', () => {
  expect(expectedReadMs(emptyPromptReads, 5000)).toBeUndefined();
  expect(expectedReadMs(taught(same(19, 2001, 4)), 5000)).toBeUndefined();
  expect(expectedReadMs(taught([...same(19, 2001, 4), ...same(9, 2000, 4)]), 5000)).toBeUndefined();
  expect(expectedReadMs(taught(same(20, 2001, 2001)), 4002)).toBe(4002);
});

test('r + b x tokens, b by nearest rank', () => {
  // Slopes 1 (18 times), 2 and 5 ms a token: of 20, the 18th is 1. r = max(ms - tokens) = 40 000.
  const reads = taught([
    ...same(18, 10_000, 10_000),
    { tokens: 10_000, ms: 20_000 },
    { tokens: 10_000, ms: 50_000 },
  ]);
  expect(expectedReadMs(reads, 10_000)).toBe(50_000);
  expect(expectedReadMs(reads, 30_000)).toBe(70_000);
});

describe('never below the largest time seen at that size or smaller', () => {
  test('a small prompt that took long', () => {
    const reads = taught([...same(20, 10_000, 10_000), { tokens: 500, ms: 90_000 }]);
    expect(expectedReadMs(reads, 400)).toBe(400);
    expect(expectedReadMs(reads, 500)).toBe(90_000);
    expect(expectedReadMs(reads, 20_000)).toBe(90_000);
  });

  test('a faster read of a larger prompt is no step', () => {
    const { stairs } = taught([
      { tokens: 100, ms: 10 },
      { tokens: 200, ms: 8 },
      { tokens: 300, ms: 20 },
      { tokens: 300, ms: 15 },
    ]);
    expect(stairs).toEqual([
      { tokens: 100, ms: 10 },
      { tokens: 300, ms: 20 },
    ]);
  });
});

test('memory is bounded: the newest 256 reads and 64 steps', () => {
  const reads = taught(Array.from({ length: 300 }, (_, i) => ({ tokens: 3000 + i, ms: i })));
  expect(reads.recent).toHaveLength(256);
  expect(reads.recent.at(-1)).toEqual({ tokens: 3299, ms: 299 });
  expect(reads.stairs).toHaveLength(64);
});
