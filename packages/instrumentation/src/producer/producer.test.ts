import { describe, expect, it } from 'vitest';
import { SimulatedProcess } from '../../fixtures/simulated-process.ts';

describe('Producer', () => {
  it('beats the process first, then every open turn, on one growing sequence', () => {
    const process = new SimulatedProcess();
    process.producer.startTurn({ id: 'A' });
    process.producer.startTurn({ id: 'B' });
    process.run(1000);
    expect(
      process.lastBeat.map((signal) =>
        signal.type === 'turn' ? signal.turn : signal.type === 'process' ? signal.name : signal.type,
      ),
    ).toEqual(['heartbeat', 'A', 'B']);
    const seqs = [...process.told, ...process.lastBeat].map(({ origin }) => origin.seq);
    expect(seqs).toEqual([1, 2, 3, 4, 5]);
    expect(process.process).toMatchObject({
      openTurns: ['A', 'B'],
      openCount: 2,
      worker: false,
      loopAgeMs: 0,
    });
    expect(process.turn('A').origin).toMatchObject({ process: 'p1', boot: 'b1', a: 1000 });
  });

  it('sends the identity with the start, in the first 3 beats and in every tenth', () => {
    const process = new SimulatedProcess({ service: 'svc' });
    process.producer.startTurn({ id: 'A', provider: 'acme', model: 'm1', managedBy: 'm' });
    const [started] = process.told;
    expect(started).toMatchObject({
      happening: { name: 'started' },
      identity: {
        provider: 'acme',
        model: 'm1',
        managedBy: 'm',
        route: 'api',
        service: 'svc',
        startedAtMs: 1_700_000_000_000,
      },
    });
    const withIdentity: number[] = [];
    for (let beat = 1; beat <= 20; beat++) {
      process.run(1000);
      if (process.turn('A').identity !== undefined) withIdentity.push(beat);
    }
    expect(withIdentity).toEqual([1, 2, 3, 10, 20]);
  });

  it('lists ended turns with their outcome for 60 s', () => {
    const process = new SimulatedProcess();
    process.producer.startTurn({ id: 'A', attempt: 2 }).ended({ outcome: 'failed', errorType: 'E1' });
    expect(process.told.at(-1)).toMatchObject({
      happening: { name: 'ended', outcome: 'failed', errorType: 'E1' },
    });
    process.run(59_000);
    expect(process.process).toMatchObject({
      openCount: 0,
      endedTurns: [{ turn: 'A', attempt: 2, outcome: 'failed' }],
    });
    expect(process.producer.isIdle).toBe(false);
    process.run(1000);
    expect(process.process.endedTurns).toEqual([]);
    expect(process.producer.isIdle).toBe(true);
  });

  it('refuses and counts a start beyond the bound, and gives an inert turn', () => {
    const process = new SimulatedProcess({ maxOpenTurns: 1 });
    process.producer.startTurn({ id: 'A' });
    const refused = process.producer.startTurn({ id: 'B' });
    refused.step();
    refused.requestStarted({ id: 'r' });
    refused.chunk('text');
    refused.toolStarted();
    refused.expire();
    refused.ended();
    refused.settleLate();
    expect(refused.status).toBe('inert');
    expect(process.told).toHaveLength(1);
    expect(process.producer.counters).toMatchObject({ refusedTurns: 1, lateSettlements: 0 });
  });

  it('holds 10 000 open turns by default', () => {
    const process = new SimulatedProcess();
    for (let i = 0; i < 10_001; i++) process.producer.startTurn({ id: `t${i}` });
    expect(process.producer.openCount).toBe(10_000);
    expect(process.producer.counters.refusedTurns).toBe(1);
  });

  it('refuses a second turn with the id of an open one', () => {
    const process = new SimulatedProcess();
    process.producer.startTurn({ id: 'A' });
    expect(process.producer.startTurn({ id: 'A' }).status).toBe('inert');
    expect(process.producer.counters.refusedTurns).toBe(1);
  });

  it('lets a newer attempt close the one before; an older attempt cannot', () => {
    const process = new SimulatedProcess();
    const first = process.producer.startTurn({ id: 'A', attempt: 1 });
    const second = process.producer.startTurn({ id: 'A', attempt: 2 });
    expect([first.status, second.status]).toEqual(['ended', 'open']);
    expect(process.producer.startTurn({ id: 'A', attempt: 1 }).status).toBe('inert');
    first.settleLate();
    expect(process.producer.counters.lateSettlements).toBe(1);
    process.run(1000);
    expect(process.turn('A').attempt).toBe(2);
    expect(process.process.endedTurns).toEqual([{ turn: 'A', attempt: 1, outcome: 'unknown' }]);
  });

  it('links a child to the call of its parent that it answers for', () => {
    const process = new SimulatedProcess();
    process.producer.startTurn({ id: 'P' }).toolStarted({ id: 'c1' });
    process.producer.startTurn({ id: 'C', parentId: 'P', parentCallId: 'c1' });
    process.run(1000);
    expect(process.turn('P').report.calls).toMatchObject([{ id: 'c1', childTurn: 'C' }]);
    expect(process.turn('C').identity).toMatchObject({ parentId: 'P', parentCallId: 'c1' });
  });

  it('keeps the horizon on the boot clock: a wall step never moves it, sleep counts (004)', () => {
    const process = new SimulatedProcess();
    process.producer.startTurn({ id: 'A', expiresAtMs: process.wallMs + 600_000 });
    process.producer.startTurn({ id: 'B', expiresInMs: 600_000 });
    process.wallMs += 86_400_000;
    process.run(1000);
    expect(process.turn('A').report.expiresInMs).toBe(599_000);
    process.sleep(700_000);
    expect(process.turn('A').report.expiresInMs).toBe(-101_000);
    expect(process.turn('B').report.expiresInMs).toBe(-101_000);
    expect(process.turn('A').identity?.expiresAtMs).toBe(1_700_000_600_000);
  });

  it('tells the wake after a long pause to turns that were open then, not to later ones', () => {
    const process = new SimulatedProcess();
    process.producer.startTurn({ id: 'A' });
    process.run(1000);
    process.sleep(99_000);
    process.producer.startTurn({ id: 'B' });
    process.run(1000);
    expect(process.process.wokeA).toBe(1000);
    expect(process.turn('A').report.wokeA).toBe(1000);
    expect(process.turn('B').report.wokeA).toBeUndefined();
  });

  it('reports the age of a stuck main loop while all turn clocks stand still', () => {
    const process = new SimulatedProcess({ worker: true });
    process.producer.startTurn({ id: 'A' });
    for (let s = 1; s <= 60; s++) {
      process.loopAgeMs = s * 1000;
      process.run(1000);
    }
    expect(process.process).toMatchObject({ loopAgeMs: 60_000, worker: true });
    expect(process.turn('A').origin.a).toBe(5000);
  });

  it('reports an expired turn for 10 s more, then drops it without an end', () => {
    const process = new SimulatedProcess();
    const turn = process.producer.startTurn({ id: 'A', expiresInMs: 5000 });
    process.run(5000);
    turn.expire();
    expect(process.told.at(-1)).toMatchObject({
      happening: { name: 'heartbeat' },
      report: { expiresInMs: 0 },
    });
    turn.chunk('text');
    process.run(9000);
    expect(process.turn('A').report).toMatchObject({ expiresInMs: -9000, chunks: 0 });
    process.run(1000);
    expect(process.process.openTurns).toEqual([]);
    expect(process.tellings()).toEqual(['started', 'heartbeat']);
  });

  it('counts a settlement after the horizon and tells it once (004)', () => {
    const process = new SimulatedProcess();
    const turn = process.producer.startTurn({ id: 'A', expiresInMs: 5000 });
    process.run(6000);
    turn.expire();
    turn.ended({ outcome: 'completed' });
    turn.ended({ outcome: 'completed' });
    expect(process.producer.counters.lateSettlements).toBe(2);
    expect(process.tellings()).toEqual(['started', 'heartbeat', 'ended']);
  });

  it('lets a new attempt take the slot of an expired one at once', () => {
    const process = new SimulatedProcess();
    process.producer.startTurn({ id: 'A' }).expire();
    expect(process.producer.startTurn({ id: 'A', attempt: 2 }).status).toBe('open');
  });

  it('says that it started, suspends and exits', () => {
    const process = new SimulatedProcess({ hostClass: 'portable' });
    process.producer.started();
    process.producer.suspending();
    process.producer.exiting(3);
    expect(process.told).toMatchObject([
      { name: 'started', hostClass: 'portable', openCount: 0 },
      { name: 'suspending' },
      { name: 'exiting', code: 3 },
    ]);
  });

  it('cuts names at 128 characters and strips control characters', () => {
    const process = new SimulatedProcess();
    const turn = process.producer.startTurn({ id: 'A', agent: `a\u001b[31m${'x'.repeat(300)}` });
    expect(turn.identity.agent).toHaveLength(128);
    expect(turn.identity.agent).not.toContain('\u001b');
    const id = turn.toolStarted({ id: 'c'.repeat(500) });
    expect(id.length).toBeLessThanOrEqual(128);
    turn.toolEnded('c'.repeat(500));
    process.run(1000);
    expect(process.turn('A').report.calls).toEqual([]);
  });
});

it('says after each beat that the host is about to sleep, until it has or did not', () => {
  const process = new SimulatedProcess();
  process.producer.startTurn({ id: 'A' });
  process.run(1000);
  process.producer.suspending();
  expect(process.tellings().at(-1)).toBe('suspending');
  process.run(2000);
  expect(process.lastBeat.at(-1)).toMatchObject({ type: 'process', name: 'suspending' });
  process.sleep(3_600_000);
  expect(process.lastBeat.at(-1)).toMatchObject({ type: 'turn' });
  process.producer.suspending();
  process.run(29_000);
  expect(process.lastBeat.at(-1)).toMatchObject({ name: 'suspending' });
  process.run(2000);
  expect(process.lastBeat.at(-1)).toMatchObject({ type: 'turn' });
});

it('beats while it looks at an engine, and a minute longer', () => {
  const process = new SimulatedProcess();
  process.producer.engine('gpu', { state: 'busy', slots: [{ id: 0, turn: 'A', read: 12, generated: 0 }] });
  expect(process.told.at(-1)).toMatchObject({
    type: 'engine',
    engine: 'gpu',
    state: 'busy',
    queued: 0,
    slots: [{ id: 0, turn: 'A', read: 12, generated: 0 }],
  });
  process.run(59_000);
  expect(process.producer.isIdle).toBe(false);
  process.run(2000);
  expect(process.producer.isIdle).toBe(true);
});
