import type { ScenarioSignal } from '@turnwatch/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { phaseMs, policy, run } from './history.ts';

// Never below the largest healthy gap seen (report 002).

const kinds = ['text', 'reasoning', 'tool_args'] as const;

interface Taught {
  readonly gapsMs: readonly number[];
  readonly outcome: 'completed' | 'failed' | 'cancelled';
}

/** Long enough that a heartbeat shows the last content before the end comes. */
const lastGapMs = 1100;

/** One turn that streams one kind of content with these gaps, then ends. */
function turnOf({ gapsMs, outcome }: Taught, turn: string, kind: (typeof kinds)[number], startS: number) {
  let t = startS;
  const base = { turn } as const;
  const signals: ScenarioSignal[] = [
    { t, type: 'turn.started', ...base, provider: 'acme', model: 'm1' },
    { t, type: 'request.started', ...base, request: 'r1' },
    { t, type: 'chunk', ...base, kind },
  ];
  for (const gapMs of gapsMs) {
    t = Math.round(t * 1000 + gapMs) / 1000;
    signals.push({ t, type: 'chunk', ...base, kind });
  }
  t = Math.round(t * 1000 + lastGapMs) / 1000;
  signals.push({ t, type: 'turn.ended', ...base, outcome });
  return { signals, endS: t };
}

const taught: fc.Arbitrary<Taught> = fc.record({
  gapsMs: fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1, maxLength: 5 }),
  outcome: fc.constantFrom('completed', 'completed', 'completed', 'failed', 'cancelled'),
});

describe.each(['measured', 'strict'] as const)('%s', (preset) => {
  test('T is never below the largest gap of a healthy turn, and no other turn moves it', () => {
    fc.assert(
      fc.property(
        fc.array(taught, { minLength: 1, maxLength: 8 }),
        fc.constantFrom(...kinds),
        phaseMs,
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom(1, 1.5),
        (turns, kind, phase, minSamples, margin) => {
          let atS = 1;
          const signals: ScenarioSignal[] = [];
          turns.forEach((each, i) => {
            const told = turnOf(each, `t${i}`, kind, atS);
            signals.push(...told.signals);
            atS = told.endS + 1;
          });
          signals.push(
            ...turnOf({ gapsMs: [900], outcome: 'completed' }, 'A', kind, atS).signals.slice(0, -1),
          );
          const view = run({
            signals,
            untilS: atS + 1,
            policy: { ...policy, preset, minSamples, margin },
            variant: { phaseMs: phase },
          }).turn();
          const healthy = turns.filter(({ outcome }) => outcome === 'completed');
          const largestMs = Math.max(0, ...healthy.flatMap(({ gapsMs }) => [...gapsMs, lastGapMs]));
          expect(view?.phase).toBe(kind);
          expect(view?.thresholdMs).toBeGreaterThanOrEqual(largestMs - 1);
          if (preset === 'measured') {
            // Report 002, literally, from the gaps alone. Stamps are whole ms.
            const measured = healthy.length >= minSamples;
            const expected = measured ? margin * largestMs : Math.max(4000, largestMs);
            expect(Math.abs((view?.thresholdMs ?? 0) - expected)).toBeLessThanOrEqual(2);
            expect(view?.thresholdSource).toBe(measured ? 'measured' : 'default');
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});
