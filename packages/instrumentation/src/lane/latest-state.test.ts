import { recordToSignal, signalToRecord } from '@turnwatch/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { SimulatedProcess } from '../../fixtures/simulated-process.ts';
import type { Signal, TurnSignal } from '../producer/signal.ts';
import { LatestState, type Outgoing } from './latest-state.ts';

let process: SimulatedProcess;
let state: LatestState;

/** What the main thread told at once, and its beat. */
function hear(): void {
  for (const signal of process.told.splice(0))
    state.takeNews(signal, signal.type === 'turn' ? 'span' : undefined, process.bootMs);
}
function beat(): void {
  hear();
  process.run(1000);
  const [first, ...rest] = process.lastBeat;
  if (first?.type !== 'process' || first.name !== 'heartbeat') throw new Error('no beat');
  const turns = rest.filter((signal): signal is TurnSignal => signal.type === 'turn');
  state.takeBeat(first, turns, process.bootMs);
}
function beatAgain(a: number, loopAgeMs: number, bootMs = process.bootMs): void {
  state.beatAgain({ a, bootMs, wallMs: process.wallMs, wokeA: undefined }, loopAgeMs);
}
function names(batch: readonly Outgoing[]): string[] {
  return batch.map(({ signal }) =>
    signal.type === 'turn'
      ? `${signal.turn} ${signal.happening.name}`
      : signal.type === 'engine'
        ? `engine ${signal.engine} ${signal.state}`
        : `process ${signal.name}`,
  );
}
function turnIn(batch: readonly Outgoing[], id = 'A'): TurnSignal {
  const found = batch.findLast(({ signal }) => signal.type === 'turn' && signal.turn === id)?.signal;
  if (found?.type !== 'turn') throw new Error(`no turn ${id}`);
  return found;
}
function processIn(batch: readonly Outgoing[]): Extract<Signal, { openCount: number }> {
  const found = batch.find(({ signal }) => signal.type === 'process' && signal.name === 'heartbeat')?.signal;
  if (found?.type !== 'process' || found.name !== 'heartbeat') throw new Error('no beat of the process');
  return found;
}

beforeEach(() => {
  process = new SimulatedProcess();
  state = new LatestState();
  process.producer.started();
});

describe('LatestState', () => {
  it('hands out what was told, news first, numbered anew, under the trace of its turn', () => {
    process.producer.startTurn({ id: 'A', traceId: 'ab'.repeat(16) });
    beat();
    const batch = state.take(100);
    expect(names(batch)).toEqual(['process started', 'A started', 'process heartbeat', 'A heartbeat']);
    expect(batch.map(({ signal }) => signal.origin.seq)).toEqual([1, 2, 3, 4]);
    expect(batch[3]).toMatchObject({ traceId: 'ab'.repeat(16), spanId: 'span' });
    expect(state.pending).toBe(false);
    expect(state.take(100)).toEqual([]);
  });

  it('lists a turn that was told after the beat and is numbered before it: a newer list without it would end it', () => {
    process.producer.startTurn({ id: 'A' });
    beat();
    process.producer.startTurn({ id: 'B' });
    process.producer.turn('A')?.ended();
    hear();
    const batch = state.take(100);
    const started = turnIn(batch, 'B');
    const listing = processIn(batch);
    expect(started.happening.name).toBe('started');
    expect(listing.origin.seq).toBeGreaterThan(started.origin.seq);
    expect(listing).toMatchObject({ openTurns: ['B'], openCount: 1 });
    expect(listing.endedTurns).toEqual([{ turn: 'A', attempt: 1, outcome: 'completed' }]);
  });

  it('has one state of each turn however long nothing can be sent, and it is the newest', () => {
    const turn = process.producer.startTurn({ id: 'A' });
    const request = turn.requestStarted();
    for (let i = 0; i < 600; i++) {
      turn.chunk('text', request);
      beat();
      state.failed(state.take(1000));
    }
    beat();
    const batch = state.take(1000);
    expect(names(batch)).toEqual(['process heartbeat', 'A heartbeat']);
    expect(turnIn(batch).report.chunks).toBe(600);
    // The identity was in the records that were lost.
    expect(turnIn(batch).identity).toBeDefined();
  });

  it('keeps no more news than it can hold', () => {
    const turn = process.producer.startTurn({ id: 'A' });
    for (let i = 0; i < 20_000; i++) turn.providerError();
    hear();
    expect(state.take(1_000_000)).toHaveLength(5000);
  });

  it('sends again what no later state holds: ends, exits', () => {
    process.producer.startTurn({ id: 'A' });
    const turn = process.producer.startTurn({ id: 'B' });
    turn.ended({ outcome: 'failed' });
    process.producer.exited('child', { signal: 'SIGKILL' });
    hear();
    const lost = state.take(100);
    state.failed(lost);
    const again = state.take(100);
    expect(names(again)).toEqual(['B ended', 'process exited', 'process heartbeat', 'A heartbeat']);
    expect(again[0]?.signal.origin.seq).toBeGreaterThan(lost.at(-1)?.signal.origin.seq ?? 0);
  });

  it('says last that the process exits or is about to sleep: state that followed would say that it goes on', () => {
    process.producer.startTurn({ id: 'A' });
    beat();
    process.producer.exiting(1);
    hear();
    const batch = state.take(100);
    expect(names(batch).slice(-2)).toEqual(['A heartbeat', 'process exiting']);
    state.failed(batch);
    expect(names(state.take(100))).toEqual(['process heartbeat', 'A heartbeat', 'process exiting']);
  });

  it('splits what is more than one request may hold, without losing or doubling any', () => {
    for (let i = 0; i < 25; i++) process.producer.startTurn({ id: `t${i}` });
    beat();
    state.take(1000);
    beat();
    const batches = [state.take(10), state.take(10), state.take(10)];
    expect(batches.map(({ length }) => length)).toEqual([10, 10, 6]);
    expect(new Set(batches.flatMap(names)).size).toBe(26);
    expect(state.pending).toBe(false);
  });
});

describe('a beat that the main thread owes', () => {
  it('is the last state at a newer instant, with the age of the loop and the times left as they are now', () => {
    const turn = process.producer.startTurn({ id: 'A', expiresInMs: 100_000 });
    turn.requestStarted({ id: 'r1', expiresInMs: 50_000 });
    turn.waiting({ for: 'rate_limit', untilInMs: 20_000 });
    beat();
    const known = turnIn(state.take(100));
    beatAgain(4000, 3010.4, process.bootMs + 3000);
    const batch = state.take(100);
    expect(names(batch)).toEqual(['process heartbeat', 'A heartbeat']);
    expect(processIn(batch)).toMatchObject({ loopAgeMs: 3010, origin: { a: 4000 }, openTurns: ['A'] });
    const { report, origin } = turnIn(batch);
    expect(origin.a).toBe(4000);
    expect(report).toMatchObject({
      lastA: known.report.lastA,
      expiresInMs: (known.report.expiresInMs ?? 0) - 3000,
      requests: [{ id: 'r1', expiresInMs: (known.report.requests[0]?.expiresInMs ?? 0) - 3000 }],
      waiting: { untilInMs: (known.report.waiting?.untilInMs ?? 0) - 3000 },
    });
    expect(report).not.toHaveProperty('firstA');
    beatAgain(5000, 4000, process.bootMs + 4000);
    expect(turnIn(state.take(100)).report.expiresInMs).toBe((known.report.expiresInMs ?? 0) - 4000);
  });

  it('knows of turns that began and ended after the last beat', () => {
    process.producer.startTurn({ id: 'A' });
    beat();
    state.take(100);
    process.producer.turn('A')?.ended();
    process.producer.startTurn({ id: 'B' });
    hear();
    beatAgain(3000, 2000);
    const beaten = processIn(state.take(100));
    expect(beaten).toMatchObject({ openTurns: ['B'], openCount: 1 });
    expect(beaten.endedTurns).toEqual([{ turn: 'A', attempt: 1, outcome: 'completed' }]);
  });

  it('is made before the first beat of the main thread too, but not of an idle process', () => {
    hear();
    process.producer.startTurn({ id: 'A' });
    hear();
    state.take(100);
    beatAgain(1000, 1000);
    expect(names(state.take(100))).toEqual(['process heartbeat', 'A heartbeat']);
    state.rest();
    beatAgain(2000, 2000);
    expect(state.pending).toBe(false);
  });

  it('never makes the instant of a record older', () => {
    process.producer.startTurn({ id: 'A' });
    beat();
    const { a } = turnIn(state.take(100)).origin;
    beatAgain(a - 5, 1500);
    expect(turnIn(state.take(100)).origin.a).toBe(a);
  });

  it('makes records that come back from the wire as they were', () => {
    const turn = process.producer.startTurn({ id: 'A', expiresInMs: 5000 });
    turn.requestStarted({ id: 'r1' });
    beat();
    beatAgain(9000, 6000);
    for (const { signal } of state.take(100)) expect(recordToSignal(signalToRecord(signal))).toEqual(signal);
  });
});

describe('what a look at an engine showed', () => {
  beforeEach(() => {
    hear();
    state.take(100);
  });
  const look = (state: 'busy' | 'idle', engine = 'gpu'): void => {
    process.producer.engine(engine, { state });
    hear();
  };

  it('goes out as it is, the newest of each engine', () => {
    look('busy');
    look('busy', 'other');
    look('idle');
    expect(names(state.take(100))).toEqual(['engine other busy', 'engine gpu idle']);
  });

  it('is not sent again when its export failed: the next look says all that it did', () => {
    look('busy');
    state.failed(state.take(100));
    expect(state.pending).toBe(false);
  });
});
