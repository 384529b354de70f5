import { expect, test, vi } from 'vitest';
import { quantile, upperBound95 } from './bounds.ts';
import { claimsOf } from './study-claims.ts';
import { documentOf } from './study-document.ts';
import { gather, type StudyOptions, type StudyResult, tasksOf } from './study-plan.ts';
import { runHere, runShared } from './study-pool.ts';

// Whole days of turns: a busy machine may take its time.
vi.setConfig({ testTimeout: 120_000 });

const small: StudyOptions = {
  turns: 1000,
  turnsOf: { OBS: 300 },
  models: ['S1', 'S2', 'S3b', 'S7', 'OBS'],
  seed: 3,
};

const tiny: StudyOptions = { ...small, turns: 200, turnsOf: { OBS: 60 } };

function study(options: StudyOptions): StudyResult {
  return gather(runHere(tasksOf(options)));
}

test('a seed gives the same page to the letter, and another seed another one', () => {
  const page = documentOf('npm run study', tiny.seed, study(tiny));
  expect(documentOf('npm run study', tiny.seed, study(tiny))).toBe(page);
  expect(documentOf('npm run study', tiny.seed, study({ ...tiny, seed: 4 }))).not.toBe(page);
});

test('worker threads give the same page as one thread', async () => {
  const shared = gather(await runShared(tasksOf(tiny), 2, () => undefined));
  expect(documentOf('x', 3, shared)).toBe(documentOf('x', 3, study(tiny)));
});

test('the counts of a small run are these', () => {
  const { gaps, observation } = study(small);
  const flagged = [...gaps].map(([id, tallies]) => [
    id,
    Object.fromEntries(tallies.map(({ rule, flagged }) => [rule, flagged])),
  ]);
  expect(Object.fromEntries(flagged)).toMatchInlineSnapshot(`
    {
      "S1": {
        "fixed 240 s": 0,
        "fixed 60 s": 0,
        "fixed 600 s": 0,
        "measured": 1,
        "phi 8": 340,
        "strict": 0,
      },
      "S2": {
        "fixed 240 s": 0,
        "fixed 60 s": 1,
        "fixed 600 s": 0,
        "measured": 1,
        "phi 8": 728,
        "strict": 0,
      },
      "S3b": {
        "fixed 240 s": 0,
        "fixed 60 s": 0,
        "fixed 600 s": 0,
        "measured": 0,
        "phi 8": 659,
        "strict": 0,
      },
      "S7": {
        "fixed 240 s": 0,
        "fixed 60 s": 1,
        "fixed 600 s": 0,
        "measured": 3,
        "phi 8": 357,
        "strict": 0,
      },
    }
  `);
  expect(
    observation.map(({ rule, turns, flagged, stops, delaysMs }) => ({
      rule,
      turns,
      flagged,
      stops,
      found: delaysMs.length,
    })),
  ).toMatchInlineSnapshot(`
    [
      {
        "flagged": 0,
        "found": 2,
        "rule": "strict",
        "stops": 2,
        "turns": 300,
      },
      {
        "flagged": 0,
        "found": 2,
        "rule": "measured",
        "stops": 2,
        "turns": 300,
      },
    ]
  `);
});

test('every claim of a small run holds, and a run without its scenarios claims nothing', () => {
  const result = study({ ...small, models: ['S2c', 'S3b'] });
  expect(claimsOf(result).filter(({ holds }) => !holds)).toEqual([]);
  expect(claimsOf(result).map(({ promise }) => promise)).toHaveLength(3);
  expect(claimsOf({ gaps: new Map(), observation: [] })).toEqual([]);
});

test('bounds: 0 of n is below 3 / n, and few, many and all flags are above their own rate', () => {
  expect(upperBound95(0, 200_000)).toBeCloseTo(1.498e-5, 8);
  expect(upperBound95(10, 1000)).toBeCloseTo(0.01696, 4);
  for (const count of [1, 100, 101, 5000])
    expect(upperBound95(count, 10_000)).toBeGreaterThan(count / 10_000);
  expect(upperBound95(10_000, 10_000)).toBeLessThanOrEqual(1);
  expect(quantile([3, 1, 2], 0.5)).toBe(2);
  expect(quantile([], 0.5)).toBeUndefined();
});
