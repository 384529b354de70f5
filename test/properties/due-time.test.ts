import type { ScenarioSignal } from '@turnwatch/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Act, dueMs, healthyActs, phaseMs, policy, run, tell } from './history.ts';

// A dead turn always wakes its parent: never before its due time, and on a healthy route never more than 1 s after it.

/** Transit of a record, and the rounding of a stamp. */
const transitMs = 21;
/** A tick or a heartbeat of either side, whichever proves the verdict. */
const latestMs = 1000 + transitMs;

interface Stall {
  /** The last thing that the turn does. */
  readonly act: Act['does'] | undefined;
  /** What is told beside it at `atS`. */
  readonly beside?: (atS: number) => readonly ScenarioSignal[];
  /** From that instant to the verdict. */
  readonly due: number;
  readonly reason: string;
  readonly type?: string;
}

const A = { turn: 'A' } as const;
const stalls: Readonly<Record<string, Stall>> = {
  text: { act: 'text', due: dueMs, reason: 'silence' },
  reasoning: { act: 'reasoning', due: dueMs, reason: 'silence' },
  'the agent itself': { act: 'step', due: dueMs, reason: 'silence' },
  'a first token that never comes': { act: 'request', due: dueMs, reason: 'silence' },
  'an answer that never comes': { act: 'still request', due: dueMs, reason: 'silence' },
  compaction: { act: 'compact', due: dueMs, reason: 'silence' },
  // Capped at 12 s from the last activity, the last ping that counts is that of 11 s, then T + C.
  'pings that go on beyond their cap': {
    act: 'request',
    beside: (atS) => everySecond(20, (i) => ({ t: atS + 1 + i, type: 'keepalive', ...A })),
    due: 11_000 + dueMs,
    reason: 'engine_only',
  },
  'a lost completion of a call': { act: 'call', due: 6000, reason: 'tool_silence' },
  'a wait whose time has passed': {
    act: 'step',
    beside: (atS) => [{ t: atS, type: 'waiting.started', ...A, for: 'schedule', until: atS + 3 }],
    due: 3000 + dueMs,
    reason: 'silence',
  },
  'a fatal error': {
    act: 'text',
    beside: (atS) => [{ t: atS, type: 'provider.error', ...A }],
    due: 2000,
    reason: 'provider_error',
  },
  'an exit': {
    act: 'text',
    beside: (atS) => [{ t: atS, type: 'process.exited' }],
    due: 0,
    reason: 'process_exited',
  },
};

function everySecond(times: number, signal: (i: number) => ScenarioSignal): ScenarioSignal[] {
  return Array.from({ length: times + 1 }, (_, i) => signal(i));
}

/** Ends what the history has left open, so that the last act alone decides the phase. */
function closed(signals: readonly ScenarioSignal[], atS: number): ScenarioSignal[] {
  return signals.flatMap((signal): ScenarioSignal[] => {
    if (signal.type === 'request.started')
      return [{ t: atS, type: 'request.ended', ...A, request: signal.request }];
    return signal.type === 'tool.started' ? [{ t: atS, type: 'tool.ended', ...A, call: signal.call }] : [];
  });
}

describe.each(Object.entries(stalls))('%s', (_, { act, beside, due, reason }) => {
  test(`is told ${due} ms after, at most ${latestMs} ms later, with reason ${reason}`, () => {
    fc.assert(
      fc.property(healthyActs, phaseMs, fc.integer({ min: 2, max: dueMs - 1 }), (acts, phase, afterMs) => {
        const before = tell(acts, {}, true);
        const lastS = Math.round(before.endS * 1000 + afterMs) / 1000;
        const after =
          act === undefined ? [] : tell([{ after: lastS * 1000 - 1000, does: act }]).signals.slice(1);
        const { events, turn } = run({
          signals: [
            ...before.signals,
            ...closed(before.signals, lastS - 0.001),
            ...after,
            ...(beside?.(lastS) ?? []),
          ],
          untilS: lastS + (due + latestMs) / 1000,
          variant: { phaseMs: phase },
        });
        const told = events.filter((event) => event.type === 'turn.stale');
        expect(told.map((event) => event.type === 'turn.stale' && event.stale.reason)).toEqual([reason]);
        expect(told[0]?.trueMs).toBeGreaterThanOrEqual(Math.round(lastS * 1000) + due - 1);
        expect(turn()?.state).toBe('stale');
      }),
      { numRuns: 40 },
    );
  });
});

test('a process that is gone is told after U, counted from its last heartbeat', () => {
  fc.assert(
    fc.property(phaseMs, fc.integer({ min: 20_000, max: 30_000 }), (phase, killedMs) => {
      // At one and the same instant either may come first.
      fc.pre(killedMs % 1000 !== phase);
      const { events } = run({
        signals: [
          { t: 1, type: 'turn.started', turn: 'A' },
          { t: 1, type: 'tool.started', turn: 'A', call: 'c1', timeout: 600 },
          { t: killedMs / 1000, type: 'process.killed' },
        ],
        untilS: 60,
        policy: { ...policy, unreachableMs: { server: 10_000 } },
        variant: { phaseMs: phase },
      });
      const [told, ...more] = events.filter((event) => event.type === 'turn.stale');
      expect(more).toEqual([]);
      expect(told).toMatchObject({ stale: { reason: 'process_unreachable' } });
      const lastBeatMs = killedMs - ((killedMs - phase + 1000) % 1000);
      expect(told?.trueMs).toBeGreaterThanOrEqual(lastBeatMs + 10_000);
      expect(told?.trueMs).toBeLessThanOrEqual(lastBeatMs + 10_000 + latestMs);
    }),
    { numRuns: 60 },
  );
});

test('a telemetry without heartbeats is told by arrival, no later than 1 s after', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: dueMs - 1100 }), { maxLength: 10 }), (gaps) => {
      let t = 1;
      const signals: ScenarioSignal[] = [{ t, type: 'turn.started', turn: 'A' }];
      for (const gapMs of gaps) {
        t = Math.round(t * 1000 + gapMs) / 1000;
        signals.push({ t, type: 'agent.step', turn: 'A' });
      }
      const { events } = run({ signals, untilS: t + (dueMs + latestMs) / 1000, coarse: true });
      const [told, ...more] = events.filter((event) => event.type === 'turn.stale');
      expect(more).toEqual([]);
      expect(told).toMatchObject({ stale: { reason: 'silence', precision: 'coarse' } });
      expect(told?.trueMs).toBeGreaterThanOrEqual(Math.round(t * 1000) + dueMs);
    }),
    { numRuns: 60 },
  );
});
