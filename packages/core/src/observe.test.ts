import { describe, expect, test } from 'vitest';
import {
  aCall,
  aContext,
  aHappening,
  aReport,
  aRequest,
  aSignal,
  aTurn,
  bootZeroMs,
  s,
  wallZeroMs,
} from '../fixtures/given.ts';
import { observe, openTurn, withCountedEvidence } from './observe.ts';
import type { TurnReport } from './signal.ts';
import type { Turn } from './turn.ts';

const heard = (turn: Turn, seq: number, aS: number, report: Partial<TurnReport>, t = 0): Turn =>
  observe(turn, aSignal({ origin: { seq, a: s(aS) }, report: aReport(report) }), aContext({ t }));

describe('any record opens a turn: that of its start may be lost (RULES 1)', () => {
  test('with the whole state of its report', () => {
    const report = aReport({
      lastA: s(8),
      requests: [aRequest({ expiresInMs: s(30) }), aRequest({ id: 'r2' })],
      expiresInMs: s(60),
    });
    const signal = aSignal({
      origin: { seq: 7, a: s(10) },
      report,
      identity: { parentId: 'P' },
      attempt: 2,
      incarnation: 3,
    });
    expect(openTurn(signal, 'relay', aContext({ t: 100 }))).toEqual({
      id: 'T',
      attempt: 2,
      owner: { process: 'p1', boot: 'b1', incarnation: 3 },
      path: 'relay',
      identity: { parentId: 'P' },
      startedMs: wallZeroMs + s(100),
      coarse: false,
      seq: 7,
      w: s(10),
      heardAwakeMs: s(100),
      report,
      lastActivityMs: wallZeroMs + s(98),
      barrenMs: 0,
      deadlineMs: bootZeroMs + s(160),
      byDefault: false,
      requestDeadlines: { r1: bootZeroMs + s(130) },
      children: { flagged: {}, ended: {} },
      lessons: { gaps: {}, hung: {}, pinged: {}, reads: [] },
      episode: 1,
      suspectTold: false,
      verdict: { state: 'running' },
    });
  });

  test('without a horizon it gets the default one (report 004)', () => {
    expect(openTurn(aSignal(), 'direct', aContext({ t: 5 }))).toMatchObject({
      deadlineMs: bootZeroMs + s(5) + 86_400_000,
      byDefault: true,
      identity: {},
    });
  });

  test('a producer without heartbeats lives on the clock of arrival', () => {
    expect(openTurn(aHappening({ name: 'started' }), 'direct', aContext({ t: 20 }))).toMatchObject({
      coarse: true,
      w: s(20),
      report: { phase: 'agent', phaseA: s(20), lastA: s(20) },
      byDefault: true,
    });
  });

  test('its horizon is as far away as its own clock said, else as the wall says', () => {
    const skewed = wallZeroMs + s(27 * 3600);
    const open = (wallMs: number | undefined, expiresAtMs: number) =>
      openTurn(
        aHappening(
          { name: 'started' },
          { identity: { expiresAtMs }, origin: wallMs === undefined ? {} : { wallMs } },
        ),
        'direct',
        aContext({ t: 20 }),
      ).deadlineMs;
    expect(open(skewed, skewed + s(60))).toBe(bootZeroMs + s(80));
    expect(open(undefined, wallZeroMs + s(80))).toBe(bootZeroMs + s(80));
  });
});

describe('a newer record replaces the state', () => {
  test('clock, report, identity and the instant of the last activity', () => {
    const turn = aTurn({ identity: { model: 'm1', agent: 'a' }, heardAwakeMs: 0 });
    const report = aReport({ lastA: s(8) });
    const after = observe(
      turn,
      aSignal({ origin: { seq: 9, a: s(10) }, report, identity: { model: 'm2' } }),
      aContext({ t: 70 }),
    );
    expect(after).toMatchObject({
      seq: 9,
      w: s(10),
      heardAwakeMs: s(70),
      identity: { model: 'm2', agent: 'a' },
      lastActivityMs: wallZeroMs + s(68),
    });
    expect(after.report).toBe(report);
  });

  test('no activity leaves its instant', () => {
    expect(heard(aTurn({ lastActivityMs: 5 }), 9, 10, {}).lastActivityMs).toBe(5);
  });

  test('the clock of the turn never goes back', () => {
    expect(heard(aTurn({ w: s(30) }), 9, 10, {}).w).toBe(s(30));
  });

  test('what the engine said stays with its request', () => {
    const engine = { request: 'r1', queued: true };
    expect(heard(aTurn({ engine }), 9, 10, {}).engine).toEqual(engine);
    expect(heard(aTurn({ engine }), 9, 10, { requests: [aRequest({ id: 'r2' })] })).not.toHaveProperty(
      'engine',
    );
    expect(heard(aTurn({ engine }), 9, 10, { requests: [] })).not.toHaveProperty('engine');
  });

  test('a call that is no longer listed is closed, and what its child did is forgotten', () => {
    const children = { flagged: { c1: 1, c2: 2 }, ended: { c2: 2, c3: 3 }, lastEnd: 3 };
    const known = aTurn({ children });
    expect(heard(known, 9, 10, { calls: [aCall({ id: 'c2' })] }).children).toEqual({
      flagged: { c2: 2 },
      ended: { c2: 2 },
      lastEnd: 3,
    });
    const calls = ['c1', 'c2', 'c3'].map((id) => aCall({ id }));
    expect(heard(known, 9, 10, { calls }).children).toEqual(children);
    expect(heard(aTurn({ children: { flagged: {}, ended: { c3: 3 } } }), 9, 10, {}).children.ended).toEqual(
      {},
    );
  });

  test('evidence that counted is remembered beyond its cap', () => {
    const local = aTurn({ identity: { route: 'local' } });
    const seen = heard(local, 9, 100, { progressA: s(99) });
    expect(seen.countedA).toBe(s(99));
    expect(heard(seen, 10, 2000, { progressA: s(1999) }).countedA).toBe(s(99));
    expect(withCountedEvidence(seen, aContext())).toBe(seen);
    const waiting = aTurn({ report: aReport({ phase: 'waiting' }) });
    expect(withCountedEvidence(waiting, aContext())).toBe(waiting);
  });
});

describe('stamps that others estimated are held against the clock of the next record of the turn', () => {
  test.each<[string, number, number]>([
    ['later than that clock: not after it', 15, 10],
    ['at it', 10, 10],
    ['earlier: as they are', 8, 8],
  ])('%s', (_, saidS, keptS) => {
    const [said, kept] = [s(saidS), s(keptS)];
    const known = aTurn({
      countedA: said,
      engine: { request: 'r1', queued: true, ownA: said, wideA: said, queuedA: said },
      children: { flagged: { c1: said, c2: 1 }, ended: { c2: said }, lastEnd: said },
    });
    const after = heard(known, 9, 10, { calls: [aCall(), aCall({ id: 'c2' })] });
    expect(after).toMatchObject({ w: s(10), countedA: kept });
    expect(after.engine).toEqual({ request: 'r1', queued: true, ownA: kept, wideA: kept, queuedA: kept });
    expect(after.children).toEqual({ flagged: { c1: kept, c2: 1 }, ended: { c2: kept }, lastEnd: kept });
  });

  test('a record that is late itself does not lower them under the clock that is known', () => {
    const known = aTurn({ w: s(12), countedA: s(11) });
    expect(heard(known, 9, 10, {})).toMatchObject({ w: s(12), countedA: s(11) });
  });

  test('what nobody said stays unsaid', () => {
    const after = heard(aTurn({ engine: { request: 'r1', queued: false } }), 9, 10, {});
    expect(after.engine).toEqual({ request: 'r1', queued: false });
    expect(after).not.toHaveProperty('countedA');
    const children = { flagged: { c1: s(15) }, ended: {} };
    expect(heard(aTurn({ children }), 9, 10, { calls: [aCall()] }).children).toEqual({
      flagged: { c1: s(10) },
      ended: {},
    });
  });
});

describe('an older record moves nothing back, and stamps only forward', () => {
  const turn = aTurn({ seq: 10, w: s(20), report: aReport({ lastA: s(5) }) });

  test('nothing new', () => {
    expect(heard(turn, 9, 19, { lastA: s(5), phase: 'agent' })).toBe(turn);
    expect(heard(turn, 10, 19, { lastA: s(4) })).toBe(turn);
  });

  test('an activity that no newer record showed', () => {
    const after = heard(turn, 9, 19, { lastA: s(6), lastKind: 'agent_step', phase: 'agent' });
    expect(after.report).toEqual({ ...turn.report, lastA: s(6), lastKind: 'agent_step' });
    expect(after).toMatchObject({ seq: 10, w: s(20) });
  });
});

describe('calls that are not new at first sight: who works for them comes with the next identities', () => {
  const openedAt = (aS: number, startedS: number) =>
    openTurn(
      aSignal({
        origin: { seq: 1, a: s(aS) },
        report: aReport({ calls: [aCall({ startedA: s(startedS) })] }),
      }),
      'direct',
      aContext(),
    );

  test.each([
    ['older than 5 s', 5.001, 16.001],
    ['no older than 5 s: it is new', 5, undefined],
  ] as const)('a turn is opened by a record that shows one %s', (_, aS, dueS) => {
    expect(openedAt(aS, 0).linksDueA).toBe(dueS === undefined ? undefined : s(dueS));
  });

  test('a newer record shows one', () => {
    const after = heard(aTurn(), 9, 2000, { calls: [aCall({ startedA: s(10) })] });
    expect(after.linksDueA).toBe(s(2011));
    expect(heard(after, 10, 2001, { calls: [aCall({ startedA: s(10) })] }).linksDueA).toBe(s(2011));
  });

  test('one round at a time: calls that come to light again and again keep no silent one from its grace (report 001)', () => {
    const calls = (id: string) => ({ calls: [aCall({ id, startedA: s(10) })] });
    const first = heard(aTurn(), 9, 2000, calls('c1'));
    expect(heard(first, 10, 2005, calls('c2')).linksDueA).toBe(s(2011));
    expect(heard(first, 10, 2011, calls('c2')).linksDueA).toBe(s(2022));
  });

  test('a call that was known before is none, nor is a new one beside it', () => {
    const known = aTurn({ report: aReport({ calls: [aCall()] }) });
    const calls = [aCall(), aCall({ id: 'c2', startedA: s(1999) })];
    expect(heard(known, 9, 2000, { calls })).not.toHaveProperty('linksDueA');
  });

  test('without heartbeats a call is as old as its record', () => {
    const turn = openTurn(aHappening({ name: 'tool_started', call: 'c1' }), 'direct', aContext({ t: 99 }));
    expect(turn).not.toHaveProperty('linksDueA');
  });
});

describe('producers without heartbeats', () => {
  test('each happening is folded into the report at its arrival', () => {
    const turn = openTurn(aHappening({ name: 'started' }), 'direct', aContext({ t: 1 }));
    const after = observe(
      turn,
      aHappening({ name: 'request_started', request: 'r1', streaming: true }, { origin: { seq: 3 } }),
      aContext({ t: 9 }),
    );
    expect(after).toMatchObject({
      coarse: true,
      w: s(9),
      seq: 3,
      report: { phase: 'first_token', lastA: s(9) },
    });
  });

  test('the first report of an SDK makes the turn proven', () => {
    const turn = openTurn(
      aHappening({ name: 'started' }, { origin: { seq: 99 } }),
      'direct',
      aContext({ t: 1 }),
    );
    expect(heard(turn, 2, 30, { lastA: s(30) })).toMatchObject({
      coarse: false,
      seq: 99,
      report: { lastA: s(30) },
    });
  });

  test('a bare happening of a turn with heartbeats tells nothing but its identity', () => {
    const turn = aTurn();
    const after = observe(
      turn,
      aHappening({ name: 'step' }, { identity: { agent: 'a' } }),
      aContext({ t: 50 }),
    );
    expect(after).toEqual({ ...turn, identity: { ...turn.identity, agent: 'a' } });
  });
});

describe('no_content counts awake time in request phases since the last fruit', () => {
  test.each<[string, Partial<Turn>, Partial<TurnReport>, number]>([
    ['nothing came: it grows', { w: s(10), barrenMs: s(100) }, {}, 110],
    ['not in the agent', { w: s(10), barrenMs: s(100), report: aReport({ phase: 'agent' }) }, {}, 100],
    ['fruit, then the rest of the time', { w: s(10), barrenMs: s(100) }, { productiveA: s(12) }, 8],
    [
      'fruit before the phase began',
      { w: s(10), barrenMs: s(100) },
      { productiveA: s(12), phaseA: s(15) },
      5,
    ],
    ['fruit, and no request now', { w: s(10), barrenMs: s(100) }, { productiveA: s(12), phase: 'agent' }, 0],
    [
      'the own slot of the engine is fruit',
      { w: s(10), barrenMs: s(100), engine: { request: 'r1', queued: false, ownA: s(14) } },
      {},
      6,
    ],
  ])('%s', (_, turn, report, barrenS) => {
    expect(heard(aTurn(turn), 9, 20, report).barrenMs).toBe(s(barrenS));
  });
});
