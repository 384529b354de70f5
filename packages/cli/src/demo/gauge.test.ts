import { expect, test } from 'vitest';
import { gaugesOf } from './gauge.ts';

test('the call nearest to its grace is the one that is shown', () => {
  const turn = {
    id: 'a',
    state: 'running',
    phase: 'tool',
    silenceMs: 100,
    thresholdMs: 3000,
    reason: null,
    calls: [
      { id: 'long', quietMs: 5000, graceMs: 60_000 },
      { id: 'short', quietMs: 4000, graceMs: 6000 },
    ],
  };
  expect(gaugesOf({ turns: [turn] }).get('a')).toEqual({
    state: 'running',
    phase: 'tool',
    silenceMs: 100,
    thresholdMs: 3000,
    reason: null,
    call: { quietMs: 4000, graceMs: 6000 },
  });
});

test('an answer of another shape shows nothing rather than something wrong', () => {
  for (const body of [null, [], { turns: 7 }, { turns: [null, {}, { id: 3 }] }])
    expect(gaugesOf(body).size).toBe(0);
});
