import type { ScenarioSignal } from '@turnwatch/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { acts, disturbances, type Event, pauses, phaseMs, policy, run, tell } from './history.ts';

// Exactly one event per stall.

/** What an event is about: turn, attempt, request, kind and episode. */
function about(event: Event): string {
  switch (event.type) {
    case 'source.silent':
      return `${event.type} ${event.path} ${event.sinceMs}`;
    case 'turn.stale':
    case 'turn.suspect':
      return `${event.type} ${event.turn} ${event.attempt} ${event.stale.episode}`;
    case 'turn.recovered':
      return `${event.type} ${event.turn} ${event.attempt} ${event.recovered.episode}`;
    case 'turn.expired':
      return `${event.type} ${event.turn} ${event.attempt}`;
    case 'request.expired':
      return `${event.type} ${event.turn} ${event.attempt} ${event.request}`;
  }
}

const attempts: fc.Arbitrary<ScenarioSignal[]> = fc.array(
  fc
    .integer({ min: 2000, max: 60_000 })
    .map((ms) => ({ t: ms / 1000, type: 'turn.started', turn: 'A' }) as ScenarioSignal),
  { maxLength: 2 },
);

const requestHorizons: fc.Arbitrary<ScenarioSignal[]> = fc.array(
  fc.record({ t: fc.integer({ min: 2, max: 40 }), inS: fc.integer({ min: 1, max: 20 }) }).map(
    ({ t, inS }): ScenarioSignal => ({
      t,
      type: 'request.started',
      turn: 'A',
      request: `h${t}`,
      expiresAt: t + inS,
    }),
  ),
  { maxLength: 2 },
);

test('at most one event per turn, attempt, request, kind and episode, whatever is lost, doubled, paused or restarted', () => {
  fc.assert(
    fc.property(
      acts(12_000),
      phaseMs,
      fc.boolean(),
      disturbances(60, 20),
      pauses(60),
      attempts,
      requestHorizons,
      fc.option(fc.integer({ min: 5, max: 60 }), { nil: undefined }),
      (all, phase, double, lost, paused, again, requests, expiresAt) => {
        const { signals, endS } = tell(all, expiresAt === undefined ? {} : { expiresAt });
        const numbered = [...again]
          .sort((a, b) => a.t - b.t)
          .map((each, i) => ({ ...each, attempt: i + 2 }) as ScenarioSignal);
        const { events } = run({
          signals: [...signals, ...numbered, ...requests, ...lost, ...paused],
          untilS: endS + 30,
          policy: { ...policy, unreachableMs: { server: 20_000 } },
          variant: { phaseMs: phase, double },
        });
        const abouts = events.map(about);
        expect(abouts.filter((each, i) => abouts.indexOf(each) !== i)).toEqual([]);
      },
    ),
    { numRuns: 250 },
  );
});

test('episodes count up by one, and each recovery follows its own stall', () => {
  fc.assert(
    fc.property(acts(12_000, 20), phaseMs, (all, phase) => {
      const { signals, endS } = tell(all);
      const { events } = run({ signals, untilS: endS + 10, variant: { phaseMs: phase } });
      let staleIn = 0;
      for (const event of events) {
        if (event.type === 'turn.stale') {
          expect(event.stale.episode).toBeGreaterThan(staleIn);
          staleIn = event.stale.episode;
        }
        if (event.type === 'turn.recovered') expect(event.recovered.episode).toBe(staleIn);
      }
    }),
    { numRuns: 200 },
  );
});
