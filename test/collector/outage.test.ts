import { describe, expect, test } from 'vitest';
import { type OutageResult, runOutage } from './outage.ts';
import { isMissing } from './program.ts';

// The short version of `npm run collector:outage`.

describe.skipIf(isMissing('otelcol'))('while the real Collector is away', { timeout: 90_000 }, () => {
  test.each(['stopped', 'held'] as const)('%s: no running turn is blamed', async (kind) => {
    const result = await runOutage({ kind, outageMs: 7000, turns: 10, unreachableMs: 4000 });
    expect(result).toEqual({
      mistakes: [],
      silentTold: 1,
      // Ten that run, one that is stale and stays open, one that fell silent; the one that ended did so unheard.
      silentTurns: 13,
      silentAfterMs: expect.any(Number),
      verdicts: {
        collector: ['before turn.stale silence', 'during turn.stale silence'],
        direct: ['before turn.stale silence', 'during turn.stale silence'],
      },
      lateVerdictMs: expect.any(Number),
      endedInOutage: 'completed',
      completed: 10,
    } satisfies { [Key in keyof OutageResult]: unknown });
  });
});
