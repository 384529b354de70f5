import { type Effect, makePolicy, type Now, Registry, type Signal } from '@turnwatch/core';
import type { ScenarioSignal } from '@turnwatch/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { acts, disturbances, phaseMs, policy, tell, worldOf } from './history.ts';

// restore(serialise(s)) behaves as s: a restarted detector gives the verdicts that an uninterrupted one gives.

interface Arrival {
  readonly atMs: number;
  readonly batch: readonly Signal[];
}

/** Everything that the detector takes in over a history, decoded from the real wire, with its own ticks between. */
function arrivalsOf(signals: readonly ScenarioSignal[], untilS: number, phase: number): Arrival[] {
  const arrivals: Arrival[] = [];
  const { world } = worldOf({ signals, untilS, variant: { phaseMs: phase } });
  const receive = world.detector.receive.bind(world.detector);
  world.detector.receive = (batch) => {
    arrivals.push({ atMs: world.timeline.nowMs, batch });
    receive(batch);
  };
  world.timeline.runUntil(untilS * 1000);
  for (let atMs = 650; atMs < untilS * 1000; atMs += 1000) arrivals.push({ atMs, batch: [] });
  return arrivals.sort((a, b) => a.atMs - b.atMs);
}

const clocks = (atMs: number): Now => ({
  awakeMs: atMs,
  bootMs: atMs + 5_000_000,
  wallMs: atMs + 1_800_000_000_000,
});

/** Effects by arrival; after arrival number `restartAt` the state goes through JSON once. */
function effectsOf(arrivals: readonly Arrival[], restartAt: number): Effect[][] {
  const rules = makePolicy(policy);
  let registry = new Registry(rules, clocks(0));
  return arrivals.map(({ atMs, batch }, i) => {
    const now = clocks(atMs);
    const effects = batch.flatMap((signal) => registry.receive(signal, 'direct', now));
    effects.push(...registry.judge(now));
    if (i === restartAt)
      registry = Registry.restore(rules, JSON.parse(JSON.stringify(registry.save(now))), now);
    return effects;
  });
}

const children: fc.Arbitrary<ScenarioSignal[]> = fc
  .record({ t: fc.integer({ min: 2, max: 30 }), lasts: fc.integer({ min: 1, max: 20 }), dies: fc.boolean() })
  .map(({ t, lasts, dies }): ScenarioSignal[] => [
    { t, type: 'turn.started', turn: 'K', process: 'p2', parent: 'A', parentCall: 'c1' },
    dies
      ? { t: t + lasts, type: 'process.exited', process: 'p2' }
      : { t: t + lasts, type: 'turn.ended', turn: 'K', process: 'p2' },
  ]);

test('a restart at any instant without down time changes no later verdict', () => {
  fc.assert(
    fc.property(
      acts(9000),
      phaseMs,
      children,
      disturbances(50, 20),
      fc.option(fc.integer({ min: 5, max: 60 }), { nil: undefined }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.constantFrom('completed', undefined),
      (all, phase, kid, lost, expiresAt, share, outcome) => {
        const { signals, endS } = tell(all, expiresAt === undefined ? {} : { expiresAt });
        if (outcome !== undefined) signals.push({ t: endS + 2, type: 'turn.ended', turn: 'A', outcome });
        const arrivals = arrivalsOf([...signals, ...kid, ...lost], endS + 20, phase);
        const restartAt = Math.floor(share * (arrivals.length - 1));
        expect(effectsOf(arrivals, restartAt)).toEqual(effectsOf(arrivals, -1));
      },
    ),
    { numRuns: 200 },
  );
});

test('what is saved, restored and saved again is the same', () => {
  fc.assert(
    fc.property(acts(9000), phaseMs, (all, phase) => {
      const { signals, endS } = tell(all, { expiresAt: 90 });
      const rules = makePolicy(policy);
      const registry = new Registry(rules, clocks(0));
      const arrivals = arrivalsOf(signals, endS + 5, phase);
      for (const { atMs, batch } of arrivals) {
        for (const signal of batch) registry.receive(signal, 'direct', clocks(atMs));
        registry.judge(clocks(atMs));
      }
      const now = clocks((endS + 5) * 1000);
      const saved = JSON.parse(JSON.stringify(registry.save(now)));
      expect(JSON.parse(JSON.stringify(Registry.restore(rules, saved, now).save(now)))).toEqual(saved);
    }),
    { numRuns: 60 },
  );
});
