import { expect, test } from 'vitest';
import { countGap, type GapHistogram, gapBuckets, gapQuantileMs } from './gap-histogram.ts';

const of = (...gaps: readonly number[]): GapHistogram => gaps.reduce(countGap, {});

test('a gap is counted in the bucket that ends at most a tenth above it', () => {
  for (const gapMs of [1, 1.5, 20, 999, 27_000, 3_600_000, 80_000_000]) {
    const [bucket] = gapBuckets(of(gapMs));
    expect(bucket?.toMs).toBeGreaterThanOrEqual(gapMs);
    expect(bucket?.toMs).toBeLessThanOrEqual(gapMs * 1.1 + 1e-6);
  }
});

test('what is shorter than a millisecond or longer than a day has the first and the last', () => {
  expect(gapBuckets(of(0, 0.2, 1e12, 1e13))).toMatchObject([{ toMs: 1, count: 2 }, { count: 2 }]);
});

test('buckets come smallest first', () => {
  const ends = gapBuckets(of(5000, 10, 300)).map(({ toMs }) => toMs);
  expect(ends).toEqual([...ends].sort((one, other) => one - other));
});

test('quantiles are where so many are below, at most a tenth too long', () => {
  const histogram = of(...Array.from({ length: 99 }, () => 100), 10_000);
  expect(gapQuantileMs(histogram, 0.5)).toBeLessThan(111);
  expect(gapQuantileMs(histogram, 0.99)).toBeLessThan(111);
  expect(gapQuantileMs(histogram, 1)).toBeGreaterThanOrEqual(10_000);
  expect(gapQuantileMs({}, 0.5)).toBeNull();
});
