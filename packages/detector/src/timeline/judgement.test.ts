import { makePolicy, Registry } from '@turnwatch/core';
import { expect, test } from 'vitest';
import { judgementOf } from './judgement.ts';

const learned = { samples: 1, maxGapMs: 2000, backoff: 1, censored: 0 };

/** What a turn without heartbeats is judged by, on a path whose records once came so late. */
function numbersWith(lagMs: number): readonly { readonly name: string; readonly value: number | null }[] {
  const now = { awakeMs: 0, bootMs: 0, wallMs: 0 };
  const registry = new Registry(makePolicy({ defaultThresholdMs: { agent: 8000 } }), now);
  registry.expectDelay('relay', lagMs);
  const signal = { type: 'turn', turn: 't', attempt: 1, incarnation: 1 } as const;
  const origin = { process: 'p', boot: '', seq: 0, a: 0 };
  registry.receive({ ...signal, origin, happening: { name: 'started' } }, 'relay', now);
  const view = registry.turn('t', now);
  if (view === undefined) throw new Error('the turn is known');
  return judgementOf({ view, learned, confirmRatio: 0.25, minSamples: 20 }).numbers;
}

test('a threshold that the lag of its path is part of says so, with how much it is', () => {
  const [before, after] = [numbersWith(0), numbersWith(299_900)];
  const threshold = (numbers: typeof before) => numbers.find(({ name }) => name === 'threshold')?.value ?? 0;
  expect(threshold(after) - threshold(before)).toBe(299_900);
  expect(after.find(({ name }) => name === 'lag')).toEqual({
    name: 'lag',
    value: 299_900,
    unit: 'ms',
    source: 'part of the threshold: largest lag of path relay in the last hours',
  });
  expect(before.map(({ name }) => name)).not.toContain('lag');
});
