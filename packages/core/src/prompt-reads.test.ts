import fc from 'fast-check';
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

describe('a staircase with more than 64 steps', () => {
  /** 65 steps of 10 ms, and one of them of 3. */
  const withLowRise = (at: number): readonly PromptRead[] =>
    taught(
      Array.from({ length: 65 }, (_, i) => ({ tokens: 100 * (i + 1), ms: 10 * (i + 1) - (i >= at ? 7 : 0) })),
    ).stairs;

  test.each([
    ['the lowest', 0],
    ['one between', 30],
    ['the highest', 63],
  ])('merges the two that differ least, the lower size with the higher time: %s', (_, at) => {
    const stairs = withLowRise(at + 1);
    expect(stairs).toHaveLength(64);
    expect(stairs[at]).toEqual({ tokens: 100 * (at + 1), ms: 10 * (at + 1) + 3 });
    expect(stairs[at + 1]?.tokens ?? 6600).toBe(100 * (at + 3));
  });

  test('never lowers a bound: whatever was seen holds at its size and above', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ tokens: fc.integer({ min: 1, max: 9999 }), ms: fc.integer({ min: 0, max: 9999 }) }),
          {
            minLength: 65,
            maxLength: 300,
          },
        ),
        (reads) => {
          const { stairs } = taught(
            reads.map((read, i) => (i < 65 ? { tokens: 100 * i + 1, ms: 100 * i } : read)),
          );
          expect(stairs.length).toBeLessThanOrEqual(64);
          for (const [i, read] of reads.entries()) {
            if (i < 65) continue;
            const bounds = stairs.filter(({ tokens }) => tokens <= read.tokens).map(({ ms }) => ms);
            expect(Math.max(...bounds)).toBeGreaterThanOrEqual(read.ms);
          }
          const sorted = [...stairs].sort((a, b) => a.tokens - b.tokens);
          expect(sorted).toEqual([...stairs].sort((a, b) => a.ms - b.ms));
        },
      ),
      { numRuns: 50 },
    );
  });
});

test('memory is bounded: the newest 256 reads and 64 steps', () => {
  const reads = taught(Array.from({ length: 300 }, (_, i) => ({ tokens: 3000 + i, ms: i })));
  expect(reads.recent).toHaveLength(256);
  expect(reads.recent.at(-1)).toEqual({ tokens: 3299, ms: 299 });
  expect(reads.stairs).toHaveLength(64);
});
