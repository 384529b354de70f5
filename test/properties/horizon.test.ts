import type { ScenarioSignal } from '@turnwatch/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { acts, disturbances, phaseMs, run, tell } from './history.ts';

// Report 004: every turn with a horizon ends by it, whatever is open, executing, waiting, asleep or dead.

const horizonS = 30;
/** Transit of a record. */
const transitMs = 20;

const hostSignals: fc.Arbitrary<ScenarioSignal[]> = fc.array(
  fc
    .record({
      t: fc.integer({ min: 2000, max: 40_000 }).map((ms) => ms / 1000),
      for: fc.integer({ min: 100, max: 60_000 }).map((ms) => ms / 1000),
      what: fc.constantFrom('host.slept', 'process.blocked', 'process.killed', 'clock.stepped'),
    })
    .map(({ t, for: lasting, what }): ScenarioSignal => {
      switch (what) {
        case 'process.killed':
          return { t, type: what };
        case 'clock.stepped':
          return { t, type: what, by: lasting * 1000 };
        default:
          return { t, type: what as 'host.slept', for: lasting };
      }
    }),
  { maxLength: 2 },
);

test('every turn with a horizon has ended or expired by its horizon + 1 s', () => {
  fc.assert(
    fc.property(acts(10_000), phaseMs, hostSignals, disturbances(40), (all, phase, host, lost) => {
      const { signals } = tell(all, { expiresAt: 1 + horizonS });
      // What killed the process also ends what it does: later acts would start it again.
      const killedS = Math.min(...host.flatMap((each) => (each.type === 'process.killed' ? [each.t] : [])));
      const heard = [
        ...signals.filter((each) => each.t < killedS),
        ...host.filter((each) => each.t <= killedS),
      ];
      const late = lost.filter((each) => each.t > 1.1);
      const { events, turn } = run({
        signals: [...heard, ...late],
        untilS: 1 + horizonS + 1 + transitMs / 1000,
        variant: { phaseMs: phase },
      });
      expect(turn()?.state).toBe('expired');
      const expired = events.filter(({ type }) => type === 'turn.expired');
      expect(expired).toHaveLength(1);
      expect(expired[0]?.trueMs).toBeGreaterThanOrEqual((1 + horizonS) * 1000);
    }),
    { numRuns: 300 },
  );
});

test('one that ended before it has no expiry, and what settles after it changes nothing', () => {
  fc.assert(
    fc.property(acts(3000), phaseMs, fc.integer({ min: 1, max: 60_000 }), (all, phase, inMs) => {
      const { signals, endS } = tell(all, { expiresAt: 1 + horizonS });
      const endedS = endS + inMs / 1000;
      // Within the second in which the horizon is judged either may come first.
      fc.pre(endedS < horizonS + 0.9 || endedS > horizonS + 2.1);
      const { events, turn } = run({
        signals: [...signals, { t: endedS, type: 'turn.ended', turn: 'A' }],
        untilS: Math.max(endedS, 1 + horizonS) + 2,
        variant: { phaseMs: phase },
      });
      const inTime = endedS < 1 + horizonS;
      expect(turn()?.state).toBe(inTime ? 'ended' : 'expired');
      expect(events.filter(({ type }) => type === 'turn.expired')).toHaveLength(inTime ? 0 : 1);
    }),
    { numRuns: 200 },
  );
});
