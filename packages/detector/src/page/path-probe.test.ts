import { expect, test } from 'vitest';
import { probeOf } from './path-probe.ts';

const path = { id: 'mapper-codex', probed: false, processes: 0, openTurns: 0 };

test.each([
  ['comes back', 'live', { probed: true, canaryAgeMs: 400, silent: false }],
  ['lost for 12 s', 'bad', { probed: true, canaryAgeMs: 12_000, silent: true }],
  ['not back yet', 'bad', { probed: true, canaryAgeMs: null, silent: true, openTurns: 2 }],
  ['not in use', 'dim', { canaryAgeMs: null, silent: true }],
  ['has none', 'dim', { canaryAgeMs: null, silent: true, openTurns: 2 }],
] as const)('%s', (word, tone, more) => {
  expect(probeOf({ ...path, ...more })).toMatchObject({ word, tone });
});
