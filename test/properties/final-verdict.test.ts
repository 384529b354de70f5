import type { ScenarioSignal } from '@turnwatch/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { acts, disturbances, phaseMs, run, tell } from './history.ts';

// A heartbeat is the whole state, never a delta: any one newer heartbeat is a complete proof.

test('loss, doubling and reordering never change the final verdict of a turn whose newer heartbeats arrive', () => {
  fc.assert(
    fc.property(
      // Without waits and fatal errors: a wait stops the graces and refutes an error, so that there the order of the
      // verdict and the wait counts, and a detector that saw neither in time may say otherwise.
      acts(8000, 12, ['wait', 'error']),
      phaseMs,
      fc.boolean(),
      disturbances(60, 30),
      fc.integer({ min: 2600, max: 20_000 }),
      fc.constantFrom('completed', 'failed', undefined),
      (all, phase, double, lost, tailMs, outcome) => {
        const { signals, endS } = tell(all);
        if (outcome !== undefined) signals.push({ t: endS + 1, type: 'turn.ended', turn: 'A', outcome });
        // The start is known, whatever comes after it may be lost, and the route works again for a heartbeat at least.
        const worksS = endS + 1.5;
        const within = lost.flatMap((each): ScenarioSignal[] => {
          if (each.type !== 'pipeline.lost' && each.type !== 'pipeline.delayed') return [each];
          const t = Math.max(1.1, each.t);
          return t < worksS ? [{ ...each, t, for: Math.min(each.for, worksS - t) }] : [];
        });
        const untilS = endS + 1 + tailMs / 1000;
        const settled = (disturbed: boolean) => {
          const view = run({
            signals: disturbed ? [...signals, ...within] : signals,
            untilS,
            variant: { phaseMs: phase, ...(disturbed ? { double } : {}) },
          }).turn();
          // Of a turn that has ended only the outcome is proven by the listing of its process.
          return view === undefined || view.state === 'ended'
            ? view?.outcome
            : { state: view.state, phase: view.phase, calls: view.calls.map((call) => call.id) };
        };
        expect(settled(true)).toEqual(settled(false));
      },
    ),
    { numRuns: 300 },
  );
});
