import { expect, test } from 'vitest';
import { killRounds } from './kill-rounds.ts';

test('a detector killed with -9 at random moments tells every verdict to the handler exactly once, in the same bytes', async () => {
  // Another one each time; what it was stands in the failure.
  const seed = Math.floor(Math.random() * 2 ** 31);
  const { faults, verdicts, stalledTurns, recoveredTurns } = await killRounds({ rounds: 8, seed });
  expect({ seed, faults }).toEqual({ seed, faults: [] });
  expect(verdicts).toBe(stalledTurns + recoveredTurns);
  expect(verdicts).toBeGreaterThan(20);
}, 120_000);
