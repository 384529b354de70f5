import type { ScenarioSignal } from '@turnwatch/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { acts, disturbances, type Event, phaseMs, run, tell } from './history.ts';

// A heartbeat is the whole state, never a delta: any one newer heartbeat is a complete proof.

/** What answers a fatal error: a newer request, call or content. */
const answers: readonly ScenarioSignal['type'][] = ['request.started', 'tool.started', 'chunk'];
/** Neither answers it nor refutes a verdict; the end of a turn is compared by its outcome alone. */
const idle: readonly ScenarioSignal['type'][] = ['noise', 'provider.error', 'turn.ended'];

/**
 * A call that comes to light old, its start lost, is judged a round of identities later: the child that works for it may
 * not have been heard yet. The verdict is the same, and final only then.
 */
const identityRoundS = 12;

/**
 * Two things are told by the moment of a verdict and not by the newest state. A wait stops the grace of a call that was
 * silent too long: whoever saw neither in time never gives that verdict. And a fatal error belongs to the episode in
 * which it stood: whoever did not see that a step, a wait or a keep-alive ended that episode judges the error later.
 */
function overtaken(events: readonly Event[], signals: readonly ScenarioSignal[]): boolean {
  const failed = signals.findIndex(({ type }) => type === 'provider.error');
  return events.some((event) => {
    if (event.type !== 'turn.stale') return false;
    // The verdict comes up to a heartbeat after what it was given for.
    const isLater = ({ t }: ScenarioSignal): boolean => t * 1000 >= event.trueMs - 1050;
    const waits = signals.some((each) => isLater(each) && each.type === 'waiting.started');
    if (waits && event.stale.reason === 'tool_silence') return true;
    const refuted = ({ type }: ScenarioSignal): boolean => !answers.includes(type) && !idle.includes(type);
    return failed >= 0 && signals.slice(failed).some((each) => isLater(each) && refuted(each));
  });
}

test('loss, doubling and reordering never change the final verdict of a turn whose newer heartbeats arrive', () => {
  fc.assert(
    fc.property(
      acts(8000, 12),
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
        const settled = (disturbed: boolean, untilS: number) => {
          const { events, turn } = run({
            signals: disturbed ? [...signals, ...within] : signals,
            untilS,
            variant: { phaseMs: phase, ...(disturbed ? { double } : {}) },
          });
          const view = turn();
          // Of a turn that has ended only the outcome is proven by the listing of its process.
          const verdict =
            view === undefined || view.state === 'ended'
              ? view?.outcome
              : { state: view.state, phase: view.phase, calls: view.calls.map((call) => call.id) };
          return { events, verdict };
        };
        const soonS = endS + 1 + tailMs / 1000;
        const isOfCall = settled(false, soonS).events.some(
          (event) => event.type === 'turn.stale' && event.stale.reason === 'tool_silence',
        );
        const untilS = isOfCall ? soonS + identityRoundS : soonS;
        const told = settled(false, untilS);
        fc.pre(!overtaken(told.events, signals));
        expect(settled(true, untilS).verdict).toEqual(told.verdict);
      },
    ),
    { numRuns: 300 },
  );
});
