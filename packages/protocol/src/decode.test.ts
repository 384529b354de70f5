import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { garbageRecord } from '../fixtures/arbitrary-records.ts';
import { type Decoded, decodeRecord, recordToSignal } from './decode.ts';
import { Attr, Event } from './names.ts';
import type { AttributeValue, WireRecord } from './record.ts';

const full: Record<string, AttributeValue> = {
  [Attr.processId]: 'p1',
  [Attr.bootId]: 'b1',
  [Attr.seq]: 12,
  [Attr.awakeMs]: 60_000,
  [Attr.turnId]: 'turn_1',
  [Attr.phase]: 'tool',
  [Attr.phaseMs]: 50_000,
  [Attr.lastMs]: 55_000,
  [Attr.lastKind]: 'tool_started',
  [Attr.productiveMs]: 50_000,
  [Attr.requestCount]: 0,
  [Attr.callCount]: 2,
  [Attr.callIds]: ['c1', 'c2'],
  [Attr.callStartedMs]: [51_000, 52_000],
  [Attr.callQuietMs]: [51_000, 55_000],
  [Attr.callUpdates]: [0, 3],
};

function record(eventName: string, attributes: Record<string, AttributeValue>, timeMs = 0): WireRecord {
  return { eventName, timeMs, attributes };
}

function without(attributes: Record<string, AttributeValue>, name: string): Record<string, AttributeValue> {
  const { [name]: _, ...rest } = attributes;
  return rest;
}

/** The happening is kept, the report is gone, and the reason names the attribute. */
function expectReportDropped(decoded: Decoded, named: string): void {
  expect(decoded).toMatchObject({
    signal: { type: 'turn', turn: 'turn_1', happening: { name: 'heartbeat' } },
  });
  expect(decoded).not.toHaveProperty('signal.report');
  expect('dropped' in decoded && decoded.dropped?.join('\n')).toContain(named);
}

describe('decodeRecord', () => {
  it('never throws and never quotes what was sent, whatever is in a record', () => {
    fc.assert(
      fc.property(garbageRecord, (garbage) => {
        const decoded = decodeRecord(garbage);
        expect(Object.keys(decoded).length).toBeGreaterThan(0);
        if ('refused' in decoded) expect(decoded.refused).toMatch(/^turnwatch\.[\w.]+: [ -~]+$/);
      }),
      { numRuns: 3000 },
    );
  });

  it('refuses a record of ours that has no attributes at all', () => {
    const broken = { eventName: Event.turnStarted, timeMs: 0 } as unknown as WireRecord;
    expect(decodeRecord(broken)).toHaveProperty('refused');
  });

  it('ignores what is not ours and what a later version may add', () => {
    expect(decodeRecord(record('gen_ai.client.inference.exception', full))).toEqual({ ignored: true });
    expect(decodeRecord(record('turnwatch.turn.blessed', full))).toEqual({ ignored: true });
    expect(recordToSignal(record('turnwatch.turn.blessed', full))).toBeUndefined();
  });

  it('reads a full report', () => {
    expect(decodeRecord(record(Event.turnHeartbeat, full))).toMatchObject({
      signal: {
        attempt: 1,
        incarnation: 1,
        report: {
          phase: 'tool',
          handover: false,
          chunks: 0,
          requests: [],
          calls: [
            { id: 'c1', quietSinceA: 51_000, updates: 0 },
            { id: 'c2', quietSinceA: 55_000, updates: 3 },
          ],
        },
      },
    });
  });
});

describe('a report that cannot be trusted is dropped, the happening kept', () => {
  it.each<[string, Record<string, AttributeValue>, string]>([
    ['the count of calls does not match its list', { [Attr.callCount]: 3 }, Attr.callIds],
    ['the count of requests says more than its list', { [Attr.requestCount]: 1 }, Attr.requestIds],
    ['a column is shorter than its list', { [Attr.callQuietMs]: [51_000] }, Attr.callQuietMs],
    ['an optional column is longer', { [Attr.callNames]: ['a', 'b', 'c'] }, Attr.callNames],
    ['an id in the list is empty', { [Attr.callIds]: ['c1', '\n'] }, Attr.callIds],
    ['an id is there twice', { [Attr.callIds]: ['c1', 'c1'] }, Attr.callIds],
    ['a stamp is NaN', { [Attr.lastMs]: Number.NaN }, Attr.lastMs],
    ['a stamp is infinite', { [Attr.phaseMs]: Number.POSITIVE_INFINITY }, Attr.phaseMs],
    ['a stamp is negative', { [Attr.productiveMs]: -1 }, Attr.productiveMs],
    ['a stamp in a column is NaN', { [Attr.callStartedMs]: [Number.NaN, 1] }, Attr.callStartedMs],
    ['a stamp is a string', { [Attr.lastMs]: '55000' }, Attr.lastMs],
    ['the phase is not one of ours', { [Attr.phase]: 'thinking' }, Attr.phase],
    ['an optional stamp is wrong', { [Attr.keepaliveMs]: 'soon' }, Attr.keepaliveMs],
    ['it waits for nothing known', { [Attr.waitingMs]: 1, [Attr.waitingFor]: 'godot' }, Attr.waitingFor],
    [
      'its error has no type',
      { [Attr.errorMs]: 1, [Attr.pendingErrorRetryable]: true },
      Attr.pendingErrorType,
    ],
  ])('%s', (_, wrong, named) => {
    expectReportDropped(decodeRecord(record(Event.turnHeartbeat, { ...full, ...wrong })), named);
  });

  it.each([
    Attr.phase,
    Attr.phaseMs,
    Attr.lastMs,
    Attr.lastKind,
    Attr.productiveMs,
    Attr.requestCount,
    Attr.callCount,
    Attr.callIds,
    Attr.callStartedMs,
    Attr.callQuietMs,
  ])('%s is missing', (name) => {
    expectReportDropped(decodeRecord(record(Event.turnHeartbeat, without(full, name))), name);
  });

  it.each([Attr.processId, Attr.bootId, Attr.seq, Attr.awakeMs])(
    '%s is missing, so it proves nothing',
    (name) => {
      expectReportDropped(decodeRecord(record(Event.turnHeartbeat, without(full, name))), name);
    },
  );
});

describe('a plain producer', () => {
  it('needs no more than an event name and a turn id', () => {
    const decoded = decodeRecord({
      ...record(Event.turnStarted, { [Attr.turnId]: 't', [Attr.parentId]: 'boss' }, 1_700_000_000_000),
      service: 'script',
      traceId: '4BF92F3577B34DA6A3CE929D0E0E4736',
    });
    expect(decoded).toStrictEqual({
      signal: {
        type: 'turn',
        turn: 't',
        attempt: 1,
        incarnation: 1,
        origin: { process: 'script', boot: '', seq: 0, a: 0, wallMs: 1_700_000_000_000 },
        happening: { name: 'started' },
        identity: { parentId: 'boss', service: 'script', traceId: '4bf92f3577b34da6a3ce929d0e0e4736' },
      },
    });
  });

  it('may send wall instants instead of the time left', () => {
    const retryAt = '2023-11-14T22:13:50Z';
    const decoded = decodeRecord(
      record(Event.providerError, { [Attr.turnId]: 't', [Attr.retryAt]: retryAt }, 1_700_000_000_000),
    );
    expect(decoded).toMatchObject({ signal: { happening: { retryable: true, retryInMs: 30_000 } } });
  });

  it('may name the kind of its first chunk by the phase', () => {
    const decoded = decodeRecord(
      record(Event.requestFirstChunk, { [Attr.turnId]: 't', [Attr.phase]: 'reasoning' }),
    );
    expect(decoded).toMatchObject({ signal: { happening: { name: 'first_chunk', kind: 'reasoning' } } });
    expect(decoded).not.toHaveProperty('dropped');
  });

  it('is told which identity attribute was no use', () => {
    const decoded = decodeRecord(record(Event.turnStarted, { [Attr.turnId]: 't', [Attr.expiresAt]: '1' }));
    expect(decoded).toMatchObject({ dropped: [expect.stringContaining(Attr.expiresAt)] });
    expect(decoded).not.toHaveProperty('signal.identity');
  });

  it('is read by the old and the new GenAI names', () => {
    const decoded = decodeRecord(
      record(Event.turnStarted, {
        [Attr.turnId]: 't',
        'gen_ai.system': 'openai',
        'gen_ai.workflow.name': 'w',
      }),
    );
    expect(decoded).toMatchObject({ signal: { identity: { provider: 'openai', agent: 'w' } } });
  });
});

describe('refused with a reason that names the attribute', () => {
  it.each<[string, string, Record<string, AttributeValue>, string]>([
    ['a turn without an id', Event.turnStarted, {}, Attr.turnId],
    ['a turn id that is a number', Event.turnStarted, { [Attr.turnId]: 7 }, Attr.turnId],
    ['a turn id of control characters', Event.turnStarted, { [Attr.turnId]: '\u0000\u202e' }, Attr.turnId],
    ['attempt 0', Event.turnHeartbeat, { ...full, [Attr.attempt]: 0 }, Attr.attempt],
    ['attempt 1.5', Event.turnHeartbeat, { ...full, [Attr.attempt]: 1.5 }, Attr.attempt],
    ['an incarnation in words', Event.turnAdopted, { ...full, [Attr.incarnation]: 'two' }, Attr.incarnation],
    ['a request without an id', Event.requestStarted, { [Attr.turnId]: 't' }, Attr.requestId],
    ['a tool call without an id', Event.toolEnded, { [Attr.turnId]: 't' }, 'gen_ai.tool.call.id'],
    ['a wait for nothing', Event.turnWaiting, { [Attr.turnId]: 't' }, Attr.waitingFor],
    ['a prompt read without tokens', Event.promptRead, { [Attr.turnId]: 't' }, Attr.readTokens],
    ['a process heartbeat without a boot', Event.processHeartbeat, { [Attr.processId]: 'p' }, Attr.bootId],
    ['an exit of nobody', Event.processExiting, {}, Attr.processId],
    ['a seen exit of nobody', Event.processExited, {}, Attr.exitedProcess],
    ['an engine without a state', Event.engineState, { [Attr.engineId]: 'e' }, Attr.engineState],
    ['a canary without a path', Event.canary, { [Attr.canaryId]: 'c' }, Attr.path],
  ])('%s', (_, eventName, attributes, named) => {
    const decoded = decodeRecord(record(eventName, attributes));
    expect(decoded).toEqual({ refused: expect.stringContaining(named) });
  });
});

describe('a process heartbeat', () => {
  const beat = {
    [Attr.processId]: 'p',
    [Attr.bootId]: 'b',
    [Attr.seq]: 1,
    [Attr.awakeMs]: 1000,
    [Attr.openTurns]: ['t1', 't2'],
    [Attr.openCount]: 3,
    [Attr.endedTurns]: ['t0'],
    [Attr.endedAttempts]: [1],
    [Attr.endedOutcomes]: ['completed'],
  };

  it('keeps a list that was cut short beside its count, for the rules to see that it proves no end', () => {
    expect(recordToSignal(record(Event.processHeartbeat, beat))).toMatchObject({
      openTurns: ['t1', 't2'],
      openCount: 3,
      endedTurns: [{ turn: 't0', attempt: 1, outcome: 'completed' }],
    });
  });

  it('proves no end where the count is missing or a row is no id', () => {
    for (const wrong of [without(beat, Attr.openCount), { ...beat, [Attr.openTurns]: ['t1', '', 't3'] }]) {
      const signal = recordToSignal(record(Event.processHeartbeat, wrong));
      if (signal?.type !== 'process' || !('openTurns' in signal)) throw new Error('no heartbeat');
      expect(signal.openTurns.length).not.toBe(signal.openCount);
    }
  });

  it('drops the ended turns, and nothing else, where their columns do not fit', () => {
    const decoded = decodeRecord(record(Event.processHeartbeat, { ...beat, [Attr.endedOutcomes]: [] }));
    expect(decoded).toMatchObject({ signal: { endedTurns: [], openCount: 3 } });
    expect(decoded).toHaveProperty('dropped');
  });
});
