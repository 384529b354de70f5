import type { Signal } from '@turnwatch/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anySignal } from '../fixtures/arbitrary-signals.ts';
import { decodeRecord, recordToSignal } from './decode.ts';
import { signalToRecord } from './encode.ts';
import { Attr, Event, GenAi } from './names.ts';

const heartbeat: Signal = {
  type: 'turn',
  turn: 'turn_1',
  attempt: 1,
  incarnation: 1,
  origin: { process: 'p', boot: 'b', seq: 7, a: 41_000.5, wallMs: 1_764_500_560_000 },
  happening: { name: 'heartbeat' },
  report: {
    phase: 'text',
    phaseA: 40_000,
    lastA: 40_900,
    lastKind: 'chunk',
    productiveA: 40_900,
    handover: false,
    requests: [
      { id: 'r1', startedA: 39_000, streaming: true, contentA: 40_000, expiresInMs: -1 },
      { id: 'r2', startedA: 39_500, streaming: false },
    ],
    calls: [],
    chunks: 12,
  },
};

describe('a signal on the wire', () => {
  it('comes back equal', () => {
    fc.assert(
      fc.property(anySignal, (signal) => {
        expect(decodeRecord(signalToRecord(signal))).toStrictEqual({ signal });
      }),
      { numRuns: 2000 },
    );
  });

  it('has the attribute names of the contract, no empty value and no undefined', () => {
    const known = new Set<string>([...Object.values(Attr), ...Object.values(GenAi).flat()]);
    const events = new Set<string>(Object.values(Event));
    fc.assert(
      fc.property(anySignal, (signal) => {
        const record = signalToRecord(signal);
        expect(events).toContain(record.eventName);
        for (const [name, value] of Object.entries(record.attributes)) {
          expect(known).toContain(name);
          expect(value).not.toBe('');
          expect(value).toBeDefined();
        }
      }),
    );
  });

  it('writes lists as parallel arrays beside their count, -1 where a number is not known', () => {
    expect(signalToRecord(heartbeat).attributes).toMatchObject({
      [Attr.requestIds]: ['r1', 'r2'],
      [Attr.requestCount]: 2,
      [Attr.requestContentMs]: [40_000, -1],
      [Attr.requestHasHorizon]: [1, 0],
      [Attr.requestExpiresInMs]: [-1, 0],
      [Attr.callCount]: 0,
    });
    // A column that no row fills costs nothing.
    expect(signalToRecord(heartbeat).attributes).not.toHaveProperty([Attr.requestPromptTokens]);
    expect(signalToRecord(heartbeat).attributes).not.toHaveProperty([Attr.callIds]);
  });

  it('carries the trace id and service that the caller gives, also where the signal has no identity', () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const record = signalToRecord(heartbeat, { traceId, service: 'worker', timeMs: 5 });
    expect(record).toMatchObject({ traceId, service: 'worker', timeMs: 5 });
    // A bare heartbeat still says nothing of the identity, or it would wipe out the parent that the detector knows.
    expect(recordToSignal(record)).toStrictEqual(heartbeat);
  });

  it('writes wall instants beside the time left, for people', () => {
    const record = signalToRecord({
      ...heartbeat,
      happening: { name: 'waiting', for: 'rate_limit', untilInMs: 60_000 },
    });
    expect(record.attributes).toMatchObject({
      [Attr.waitingUntilInMs]: 60_000,
      [Attr.waitingUntil]: '2025-11-30T11:03:40.000Z',
    });
  });

  it('cleans ids the same way on both sides, so that a list of open turns fits the turns', () => {
    const turn = `${'x'.repeat(200)}\u202e\n`;
    const record = signalToRecord({ ...heartbeat, turn });
    const beat = signalToRecord({
      type: 'process',
      name: 'heartbeat',
      origin: heartbeat.origin,
      loopAgeMs: 0,
      worker: true,
      hostClass: 'server',
      openTurns: [turn],
      openCount: 1,
      endedTurns: [],
    });
    expect(beat.attributes[Attr.openTurns]).toEqual([record.attributes[Attr.turnId]]);
    expect(recordToSignal(record)).toMatchObject({ turn: record.attributes[Attr.turnId] });
  });
});
