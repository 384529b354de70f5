import { describe, expect, test } from 'vitest';
import {
  admit,
  type Baseline,
  censor,
  emptyBaseline,
  exclude,
  include,
  largestGapMs,
  refute,
} from './baseline.ts';

const taught = (...gaps: readonly number[]): Baseline =>
  gaps.reduce((baseline, gapMs, i) => admit(baseline, { turn: `t${i}`, gapMs }), emptyBaseline);

test('each admitted turn is one sample, and the largest gap rules (report 002)', () => {
  const baseline = taught(5, 9, 7);
  expect(baseline.samples).toBe(3);
  expect(largestGapMs(baseline)).toBe(9);
  expect(largestGapMs(emptyBaseline)).toBe(0);
});

test('the eight largest gaps keep their turns, so that an operator can exclude one', () => {
  const baseline = taught(1, 10, 2, 9, 3, 8, 4, 7, 5, 6);
  expect(baseline.top.map((gap) => gap.gapMs)).toEqual([10, 9, 8, 7, 6, 5, 4, 3]);
  expect(baseline.top[0]?.turn).toBe('t1');
  expect(baseline.samples).toBe(10);
});

test('an excluded gap no longer rules; the turn was healthy, so the sample stays', () => {
  const baseline = exclude(taught(5, 9, 7), 't1');
  expect(largestGapMs(baseline)).toBe(7);
  expect(baseline.samples).toBe(3);
});

test('an exclusion can be taken back, until a hundred newer ones have come', () => {
  const taken = exclude(taught(5, 9, 7), 't1');
  expect(taken.excluded).toEqual([{ gapMs: 9, turn: 't1' }]);
  const back = include(taken, 't1');
  expect([back.top.map(({ gapMs }) => gapMs), back.excluded]).toEqual([[9, 7, 5], []]);
  let many = emptyBaseline;
  for (let i = 0; i <= 100; i++) many = exclude(admit(many, { turn: `t${i}`, gapMs: i }), `t${i}`);
  expect([many.excluded.length, many.excluded[0]?.turn]).toEqual([100, 't1']);
});

test('pinged gaps without a gap of their own are no sample', () => {
  const baseline = admit(taught(5), { turn: 'x', pingedMs: 300 });
  expect(baseline).toMatchObject({ samples: 1, maxPingedMs: 300 });
  expect(admit(baseline, { turn: 'y', gapMs: 1, pingedMs: 200 })).toMatchObject({
    samples: 2,
    maxPingedMs: 300,
  });
});

test('first-token times of known prompts are learned with the sample', () => {
  const reads = [
    { tokens: 3000, ms: 100 },
    { tokens: 4000, ms: 200 },
  ];
  expect(admit(emptyBaseline, { turn: 'x', gapMs: 200, reads }).reads.recent).toEqual(reads);
});

describe('back-off (Karn): flagged turns teach too late', () => {
  test('doubles with each refuted verdict, up to 8', () => {
    let baseline = emptyBaseline;
    const seen = Array.from({ length: 5 }, () => {
      baseline = refute(baseline);
      return baseline.backoff;
    });
    expect(seen).toEqual([2, 4, 8, 8, 8]);
  });

  test('heals by 2 % with each healthy turn', () => {
    expect(admit({ ...emptyBaseline, backoff: 2 }, { turn: 'x', gapMs: 1 }).backoff).toBeCloseTo(1.98, 10);
    expect(taught(1, 2, 3).backoff).toBe(1);
  });
});

test('censored gaps are kept apart and change no threshold', () => {
  const baseline = censor(censor(taught(5), 90), 60);
  expect(baseline).toMatchObject({ samples: 1, censored: 2, largestCensoredMs: 90 });
  expect(largestGapMs(baseline)).toBe(5);
});
