import { expect, test } from 'vitest';
import { probeOf } from './path-probe.ts';

const path = { id: 'mapper-codex', processes: 0, openTurns: 0 };

test.each([
  ['comes back', 'live', { canaryAgeMs: 400, silent: false }],
  ['lost for 12 s', 'bad', { canaryAgeMs: 12_000, silent: true }],
  ['not in use', 'dim', { canaryAgeMs: null, silent: true }],
  ['has none', 'warn', { canaryAgeMs: null, silent: true, openTurns: 2 }],
] as const)('%s', (word, tone, more) => {
  expect(probeOf({ ...path, ...more })).toMatchObject({ word, tone });
});
