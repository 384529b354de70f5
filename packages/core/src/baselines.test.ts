import { expect, test } from 'vitest';
import { learned } from '../fixtures/given.ts';
import { emptyBaseline } from './baseline.ts';
import { Baselines } from './baselines.ts';

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

test('an operator excludes the gap of one turn; what the key does not hold is refused', () => {
  const baselines = new Baselines();
  baselines.set(key, learned(20, 700));
  expect(baselines.exclude('acme|m2|text', 'teacher')).toBe(false);
  expect(baselines.exclude(key, 'somebody')).toBe(false);
  expect(baselines.exclude(key, 'teacher')).toBe(true);
  expect(baselines.read(key).top).toEqual([]);
});

test('the view tells what a key has learned, in words', () => {
  const baselines = new Baselines();
  baselines.set(
    'acme|m%2F1|first_token+evidence',
    learned(20, 700, { maxPingedMs: 3, backoff: 2, censored: 4 }),
  );
  expect(baselines.views()).toEqual([
    {
      key: 'acme|m%2F1|first_token+evidence',
      provider: 'acme',
      model: 'm/1',
      phase: 'first_token+evidence',
      samples: 20,
      maxGapMs: 700,
      maxPingedMs: 3,
      backoff: 2,
      censored: 4,
      largestGaps: [{ gapMs: 700, turn: 'teacher' }],
    },
  ]);
});
