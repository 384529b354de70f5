import { expect, test } from 'vitest';
import { learned } from '../fixtures/given.ts';
import { emptyBaseline } from './baseline.ts';
import { Baselines } from './baselines.ts';
import { makePolicy } from './policy.ts';

const key = 'acme|m1|text';

test('a key that nobody taught is empty', () => {
  expect(new Baselines().read(key)).toBe(emptyBaseline);
});

test('teaching goes to the key it names, and to no other', () => {
  const baselines = new Baselines();
  baselines.teach({ kind: 'admit', key, lesson: { turn: 'A', gapMs: 700 } });
  baselines.teach({ kind: 'censor', key, gapMs: 900 });
  baselines.teach({ kind: 'refute', key });
  expect(baselines.read(key)).toMatchObject({ samples: 1, censored: 1, largestCensoredMs: 900, backoff: 2 });
  expect([...baselines.keys()]).toEqual([key]);
  expect(baselines.read('acme|m1|reasoning')).toBe(emptyBaseline);
});

test('a key that is dropped is as if nobody had taught it', () => {
  const baselines = new Baselines();
  baselines.set(key, learned(20, 700));
  baselines.drop(key);
  expect(baselines.read(key)).toBe(emptyBaseline);
  expect([...baselines.keys()]).toEqual([]);
});

test('an operator excludes the gap of one turn; what the key does not hold is refused', () => {
  const baselines = new Baselines();
  baselines.set(key, learned(20, 700));
  expect(baselines.exclude('acme|m2|text', 'teacher')).toBe(false);
  expect(baselines.exclude(key, 'somebody')).toBe(false);
  expect(baselines.exclude(key, 'teacher')).toBe(true);
  expect(baselines.read(key).top).toEqual([]);
});

test('an exclusion is taken back; what is not excluded is refused', () => {
  const baselines = new Baselines();
  baselines.set(key, learned(20, 700));
  expect(baselines.include(key, 'teacher')).toBe(false);
  baselines.exclude(key, 'teacher');
  expect(baselines.include('acme|m2|text', 'teacher')).toBe(false);
  expect(baselines.include(key, 'teacher')).toBe(true);
  expect(baselines.read(key)).toEqual(learned(20, 700));
});

test('the view tells what a key has learned and what it makes of it', () => {
  const baselines = new Baselines();
  const policy = makePolicy({ preset: 'measured' });
  const known = 'acme|m%2F1|first_token+evidence';
  baselines.set(
    known,
    learned(20, 40_000, { maxPingedMs: 3, backoff: 2, censored: 4, histogram: { 100: 19, 111: 1 } }),
  );
  baselines.set(key, learned(0, 0));
  const [view] = baselines.views(policy);
  expect(view).toMatchObject({
    key: known,
    provider: 'acme',
    model: 'm/1',
    phase: 'first_token+evidence',
    samples: 20,
    maxGapMs: 40_000,
    maxPingedMs: 3,
    backoff: 2,
    censored: 4,
    largestGaps: [{ gapMs: 40_000, turn: 'teacher' }],
    excluded: [],
    threshold: { thresholdMs: 60_000, confirmMs: 15_000, source: 'measured' },
  });
  const [first, last] = view?.buckets ?? [];
  expect([first?.count, last?.count]).toEqual([19, 1]);
  expect(view?.quantilesMs).toEqual({ p50: first?.toMs, p90: first?.toMs, p99: last?.toMs });
  expect(baselines.views(policy)).toMatchObject([
    { key: known },
    { quantilesMs: null, buckets: [], threshold: { source: 'default' } },
  ]);
});
