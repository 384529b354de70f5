import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  disturbances,
  dueMs,
  healthyActs,
  pauses,
  phaseMs,
  policy,
  run,
  staleEvents,
  tell,
} from './history.ts';

// A working turn is never flagged.

test('no history without a gap above T + C makes a stale turn, on a healthy route', () => {
  fc.assert(
    fc.property(healthyActs, phaseMs, fc.integer({ min: 0, max: dueMs - 1 }), (acts, phase, tailMs) => {
      const { signals, endS } = tell(acts, {}, true);
      const { events } = run({ signals, untilS: endS + tailMs / 1000, variant: { phaseMs: phase } });
      expect(staleEvents(events)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test('nor with records lost, late, doubled, with hosts that sleep and a detector that pauses and restarts', () => {
  fc.assert(
    fc.property(
      healthyActs,
      phaseMs,
      fc.boolean(),
      disturbances(40),
      pauses(40),
      (acts, phase, double, lost, paused) => {
        const { signals, endS } = tell(acts, {}, true);
        const { events } = run({
          signals: [...signals, ...lost, ...paused],
          untilS: endS + 1,
          variant: { phaseMs: phase, double },
        });
        expect(staleEvents(events)).toEqual([]);
      },
    ),
    { numRuns: 300 },
  );
});

test('nor does a wait, however long', () => {
  fc.assert(
    fc.property(
      healthyActs,
      phaseMs,
      fc.integer({ min: 1, max: 120 }),
      disturbances(40),
      (acts, phase, waitS, lost) => {
        const { signals, endS } = tell([...acts, { after: 1000, does: 'wait' }], {}, true);
        const backS = endS + waitS;
        const { events } = run({
          signals: [...signals, ...lost, { t: backS, type: 'waiting.ended', turn: 'A' }],
          untilS: backS + 4,
          variant: { phaseMs: phase },
        });
        expect(staleEvents(events)).toEqual([]);
      },
    ),
    { numRuns: 150 },
  );
});

test('under strict too', () => {
  fc.assert(
    fc.property(healthyActs, phaseMs, disturbances(40), (acts, phase, lost) => {
      const { signals, endS } = tell(acts, {}, true);
      const { events } = run({
        signals: [...signals, ...lost],
        untilS: endS + 4,
        policy: { ...policy, preset: 'strict' },
        variant: { phaseMs: phase },
      });
      expect(staleEvents(events)).toEqual([]);
    }),
    { numRuns: 150 },
  );
});
