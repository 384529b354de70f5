import { describe, expect, test } from 'vitest';
import {
  aCall,
  aContext,
  aHappening,
  anEnd,
  aReport,
  aRequest,
  aSignal,
  aTurn,
  bootZeroMs,
  eventsOf,
  s,
  toolTurn,
  wallZeroMs,
} from '../fixtures/given.ts';
import { stalls } from '../fixtures/stalls.ts';
import type { TurnEffect } from './settle.ts';
import type { Outcome, TurnSignal } from './signal.ts';
import { type Input, transition } from './transition.ts';
import { noLessons, type Turn } from './turn.ts';

type Surroundings = Parameters<typeof aContext>[0];

const tell = (turn: Turn | undefined, signal: TurnSignal, surroundings?: Surroundings) =>
  transition(turn, { kind: 'signal', signal, path: 'direct' }, aContext(surroundings));
const keep: TurnEffect = { kind: 'keep', turn: 'T' };
const judged = (turn: Turn, surroundings?: Surroundings): Turn => {
  const [after] = transition(turn, { kind: 'judge' }, aContext(surroundings));
  if (after === undefined) throw new Error('a known turn stays known');
  return after;
};
const stale = (): Turn => judged(stalls.silence.turn);
const expired = (): Turn => judged(aTurn({ deadlineMs: 0 }));
const ended = (): Turn => aTurn({ verdict: { state: 'ended', outcome: 'completed', atMs: 1 } });

describe('a turn that is not known yet', () => {
  test('only a signal opens one; it is kept at once', () => {
    const [turn, effects] = tell(undefined, aSignal());
    expect(turn).toMatchObject({ id: 'T', verdict: { state: 'running' } });
    expect(effects).toEqual([keep]);
    for (const input of [
      { kind: 'judge' },
      { kind: 'unlisted', outcome: 'unknown', seq: 0 },
    ] satisfies Input[])
      expect(transition(undefined, input, aContext())).toEqual([undefined, []]);
  });

  test('one whose first record is its end has ended', () => {
    const [turn, effects] = tell(undefined, aSignal({ happening: { name: 'ended', outcome: 'failed' } }));
    expect(turn?.verdict).toMatchObject({ state: 'ended', outcome: 'failed' });
    expect(effects).toContainEqual({ kind: 'ended', turn: 'T', attempt: 1, outcome: 'failed' });
  });
});

describe('what must be durable before it is acknowledged', () => {
  test.each<[string, TurnSignal, boolean]>([
    ['a heartbeat', aSignal(), false],
    ['a start', aSignal({ happening: { name: 'started' } }), true],
    ['an adoption', aSignal({ happening: { name: 'adopted' } }), true],
    ['a horizon', aSignal({ report: aReport({ expiresInMs: s(5) }) }), true],
  ])('%s: %s', (_, signal, kept) => {
    const [, effects] = tell(aTurn(), signal);
    expect(effects).toEqual(kept ? [keep] : []);
  });
});

describe('the end', () => {
  const admitted = (turn: Turn, signal: TurnSignal, surroundings?: Surroundings) => {
    const [after, effects] = tell(turn, signal, surroundings);
    expect(after?.verdict).toMatchObject({ state: 'ended', outcome: 'completed' });
    return effects.flatMap((effect) => (effect.kind === 'admit' ? [[effect.key, effect.lesson.gapMs]] : []));
  };
  const seen = (wS: number, over: Partial<Turn> = {}): Turn => aTurn({ w: s(wS), ...over });

  test('itself closes the last silence, on the clock of the producer', () => {
    expect(admitted(seen(39.5), anEnd('completed', 40))).toEqual([['acme|m1|text', s(40)]]);
  });

  test('its report tells what came since the last heartbeat', () => {
    const report = aReport({ lastA: s(40), firstA: s(39.7) });
    expect(admitted(seen(39.5), anEnd('completed', 40, { report }))).toEqual([['acme|m1|text', s(39.7)]]);
  });

  test('with records missing before it, no more is proven than what was judged', () => {
    expect(admitted(seen(10), anEnd('completed', 40))).toEqual([['acme|m1|text', s(10)]]);
  });

  test('a larger gap of the turn stays', () => {
    const lessons = { ...noLessons, gaps: { text: s(50) } };
    expect(admitted(seen(39.5, { lessons }), anEnd('completed', 40))).toEqual([['acme|m1|text', s(50)]]);
  });

  test('of a producer without heartbeats counts by its arrival', () => {
    const turn = aTurn({ coarse: true, w: s(24), owner: { process: 'p1', boot: '', incarnation: 1 } });
    const end = aHappening({ name: 'ended', outcome: 'completed' });
    expect(admitted(turn, end, { t: 25 })).toEqual([['acme|m1|text', s(25)]]);
  });

  test('late ones are counted and change nothing (report 004)', () => {
    const turn = expired();
    expect(tell(turn, anEnd('completed', 9))).toEqual([turn, [{ kind: 'count', what: 'late_settlement' }]]);
    expect(tell(turn, aSignal())).toEqual([turn, []]);
    const done = ended();
    expect(tell(done, anEnd('completed', 9))).toEqual([done, []]);
    expect(tell(done, aSignal())).toEqual([done, []]);
  });
});

describe('an end and the horizon in one backlog (report 004)', () => {
  const horizonMs = bootZeroMs + s(30);
  const due = (): Turn => aTurn({ w: s(20), deadlineMs: horizonMs });
  const endWith = (outcome: Outcome, expiresInMs: number | undefined): TurnSignal =>
    anEnd(outcome, 38, { report: aReport(expiresInMs === undefined ? {} : { expiresInMs }) });

  test.each(['completed', 'failed', 'cancelled'] as const)(
    'one that its producer dates after the horizon is late, and the turn expires: %s',
    (outcome) => {
      for (const expiresInMs of [0, s(-8)]) {
        const [turn, effects] = tell(due(), endWith(outcome, expiresInMs), { t: 49 });
        expect(turn?.verdict.state).toBe('expired');
        expect(eventsOf(effects)).toMatchObject([
          { type: 'turn.expired', expired: { expiresAtMs: wallZeroMs + s(30) } },
        ]);
        expect(effects.at(-1)).toEqual({ kind: 'count', what: 'late_settlement' });
        expect(effects.map(({ kind }) => kind)).not.toContain('ended');
        expect(effects.map(({ kind }) => kind)).not.toContain('admit');
      }
    },
  );

  test.each<[string, number | undefined, number]>([
    ['dated 1 ms before it, however late it comes', 1, 49],
    ['that names no horizon', undefined, 49],
    ['after a horizon of the producer that the own clock has not reached', s(-8), 29.999],
  ])('one %s is an end', (_, expiresInMs, t) => {
    const [turn, effects] = tell(due(), endWith('completed', expiresInMs), { t });
    expect(turn?.verdict).toMatchObject({ state: 'ended', outcome: 'completed' });
    expect(eventsOf(effects)).toEqual([]);
  });

  describe('of a producer without heartbeats', () => {
    const coarse = (expiresAtMs?: number): Turn =>
      aTurn({
        coarse: true,
        owner: { process: 'p1', boot: '', incarnation: 1 },
        deadlineMs: horizonMs,
        identity: expiresAtMs === undefined ? {} : { expiresAtMs },
      });
    const end = (wallMs?: number): TurnSignal =>
      aHappening({ name: 'ended', outcome: 'completed' }, wallMs === undefined ? {} : { origin: { wallMs } });
    const horizonWallMs = wallZeroMs + s(30);

    test.each<[string, Turn, TurnSignal]>([
      ['its wall clock is past it', coarse(horizonWallMs), end(wallZeroMs + s(38))],
      ['its wall clock is at it', coarse(horizonWallMs), end(horizonWallMs)],
      ['it says no time: by its arrival', coarse(horizonWallMs), end()],
      ['the horizon is that of the detector: by its arrival', coarse(), end(wallZeroMs + s(1))],
    ])('it is late, and the turn expires: %s', (_, turn, signal) => {
      const [after, effects] = tell(turn, signal, { t: 49 });
      expect(after?.verdict.state).toBe('expired');
      expect(eventsOf(effects).map(({ type }) => type)).toEqual(['turn.expired']);
      expect(effects.at(-1)).toEqual({ kind: 'count', what: 'late_settlement' });
    });

    test.each<[string, TurnSignal, number]>([
      ['dated before it, however late it comes', end(horizonWallMs - 1), 49],
      ['that comes before the own clock has reached it', end(wallZeroMs + s(38)), 29.999],
    ])('one %s is an end', (_, signal, t) => {
      const [after, effects] = tell(coarse(horizonWallMs), signal, { t });
      expect(after?.verdict).toMatchObject({ state: 'ended', outcome: 'completed' });
      expect(eventsOf(effects)).toEqual([]);
    });
  });

  test.each(['unknown', 'failed', 'cancelled'] as const)(
    'a listing after the horizon does not say when the turn was given up: expired, not %s',
    (outcome) => {
      const unlist = (t: number) =>
        transition(due(), { kind: 'unlisted', outcome, seq: 0 }, aContext({ t }))[0]?.verdict;
      expect(unlist(30)).toMatchObject({ state: 'expired' });
      expect(unlist(29.999)).toMatchObject({ state: 'ended', outcome });
    },
  );

  test('a turn that is listed as completed was not given up', () => {
    const [turn] = transition(due(), { kind: 'unlisted', outcome: 'completed', seq: 0 }, aContext({ t: 49 }));
    expect(turn?.verdict).toMatchObject({ state: 'ended', outcome: 'completed' });
  });
});

describe('attempts (report 004)', () => {
  const second = (over: Parameters<typeof aSignal>[0] = {}): TurnSignal =>
    aSignal({ attempt: 2, origin: { seq: 20, a: s(50) }, happening: { name: 'started' }, ...over });

  test('a new one closes the one before, with its own horizon and episode', () => {
    const turn: Turn = { ...stale(), barrenMs: s(500), episode: 3, deadlineMs: bootZeroMs + 5 };
    const [next, effects] = tell(
      turn,
      second({ report: aReport({ expiresInMs: s(90) }), identity: { agent: 'x' } }),
    );
    expect(next).toMatchObject({
      attempt: 2,
      episode: 1,
      verdict: { state: 'running' },
      deadlineMs: bootZeroMs + s(90),
      identity: { provider: 'acme', model: 'm1', agent: 'x' },
      // Over all attempts: a loop of fruitless retries must not hide.
      barrenMs: s(500),
    });
    expect(eventsOf(effects)).toEqual([]);
    expect(effects).toContainEqual({ kind: 'ended', turn: 'T', attempt: 1, outcome: 'unknown' });
    expect(effects.at(-1)).toEqual(keep);
  });

  test('after an expiry it is a turn again, and nothing ends twice', () => {
    const [next, effects] = tell(expired(), second());
    expect(next?.verdict.state).toBe('running');
    expect(effects).toEqual([keep]);
  });

  test('what an earlier one says is nothing; its end is counted as late', () => {
    const turn = aTurn({ attempt: 2 });
    expect(tell(turn, aSignal())).toEqual([turn, []]);
    const late = aSignal({ happening: { name: 'ended', outcome: 'completed' } });
    expect(tell(turn, late)).toEqual([turn, [{ kind: 'count', what: 'late_settlement' }]]);
  });
});

describe('owners: process, boot, incarnation', () => {
  test.each<[string, TurnSignal, string]>([
    ['another process', aSignal({ origin: { process: 'p2' } }), 'foreign_owner'],
    ['another boot', aSignal({ origin: { boot: 'b2' } }), 'foreign_owner'],
    [
      'an id that is used again',
      aSignal({ origin: { process: 'p2' }, happening: { name: 'started' } }),
      'id_conflict',
    ],
  ])('%s is refused and counted', (_, signal, what) => {
    const turn = aTurn();
    expect(tell(turn, signal)).toEqual([turn, [{ kind: 'count', what }]]);
  });

  test('an earlier incarnation too, even of the same process', () => {
    const turn = aTurn({ owner: { process: 'p1', boot: 'b1', incarnation: 2 } });
    expect(tell(turn, aSignal({ happening: { name: 'started' } }))).toEqual([
      turn,
      [{ kind: 'count', what: 'foreign_owner' }],
    ]);
  });

  describe('a higher incarnation takes the turn over', () => {
    const adopt = (over: Parameters<typeof aSignal>[0] = {}): TurnSignal =>
      aSignal({
        incarnation: 2,
        origin: { process: 'p2', boot: 'x', seq: 1, a: s(3) },
        happening: { name: 'adopted' },
        report: aReport({ lastA: s(3), phaseA: s(3) }),
        ...over,
      });

    test('all stamps are those of the new owner; horizon, start and episode stay', () => {
      const turn = aTurn({
        w: s(9999),
        seq: 500,
        startedMs: 7,
        deadlineMs: bootZeroMs + 9,
        episode: 2,
        barrenMs: 4,
      });
      const [next, effects] = tell(turn, adopt());
      expect(next).toMatchObject({
        owner: { process: 'p2', boot: 'x', incarnation: 2 },
        w: s(3),
        seq: 1,
        startedMs: 7,
        deadlineMs: bootZeroMs + 9,
        byDefault: false,
        episode: 2,
        barrenMs: 4,
        identity: { provider: 'acme' },
      });
      expect(effects).toEqual([keep]);
    });

    test('a horizon that the new owner tells is the new horizon', () => {
      const [next] = tell(aTurn({ deadlineMs: 5 }), adopt({ report: aReport({ expiresInMs: s(60) }) }), {
        t: 10,
      });
      expect(next?.deadlineMs).toBe(bootZeroMs + s(70));
    });

    test('what it has been through so far will teach with its end', () => {
      const lessons = { ...noLessons, gaps: { text: s(50) } };
      const [next] = tell(aTurn({ lessons }), adopt());
      expect(next?.lessons).toEqual(lessons);
    });

    test('a suspicion that was told is told once an episode', () => {
      const [suspect] = tell(judged(aTurn({ w: s(95) })), adopt());
      expect(suspect).toMatchObject({ suspectTold: true, episode: 1, verdict: { state: 'running' } });
      const again = transition({ ...(suspect as Turn), w: s(98) }, { kind: 'judge' }, aContext());
      expect(again[0]?.verdict.state).toBe('suspect');
      expect(eventsOf(again[1])).toEqual([]);
      const [next] = tell({ ...stale(), suspectTold: true }, adopt());
      expect(next).toMatchObject({ suspectTold: false, episode: 2 });
    });

    test('a default horizon that was held is counted again from there', () => {
      const held = aTurn({ byDefault: true, heldMs: s(40), deadlineMs: Number.POSITIVE_INFINITY });
      const [next] = tell(held, adopt(), { t: 500 });
      expect(next).toMatchObject({ byDefault: true, deadlineMs: bootZeroMs + s(540) });
      expect(next).not.toHaveProperty('heldMs');
    });

    test('it closes the episode of an exited process, without an event', () => {
      const exited = judged(stalls.process_exited.turn, stalls.process_exited.surroundings);
      const [next, effects] = tell(exited, adopt());
      expect(next).toMatchObject({ episode: 2, verdict: { state: 'running' } });
      expect(eventsOf(effects)).toEqual([]);
    });

    test('a settled turn is not taken over', () => {
      const turn = expired();
      expect(tell(turn, adopt())).toEqual([turn, [{ kind: 'count', what: 'foreign_owner' }]]);
    });
  });
});

describe('a newer listing that no longer names the turn', () => {
  test('ends it', () => {
    const [turn] = transition(aTurn(), { kind: 'unlisted', outcome: 'unknown', seq: 0 }, aContext());
    expect(turn?.verdict).toMatchObject({ state: 'ended', outcome: 'unknown' });
  });

  test('says nothing of a settled one', () => {
    const turn = expired();
    expect(transition(turn, { kind: 'unlisted', outcome: 'unknown', seq: 0 }, aContext())).toEqual([
      turn,
      [],
    ]);
  });
});

describe('judging', () => {
  const coarse = (over: Partial<Turn> = {}): Turn => aTurn({ coarse: true, ...over });

  test('without heartbeats time itself proves silence', () => {
    expect(judged(coarse(), { t: 112 }).verdict.state).toBe('suspect');
    expect(judged(coarse(), { t: 112.5 })).toMatchObject({
      w: s(112.5),
      verdict: { state: 'stale', details: { precision: 'coarse' } },
    });
    expect(judged(coarse(), { t: 112.5, lagMs: s(10) }).verdict.state).toBe('suspect');
    expect(judged(coarse(), { t: 125, lagMs: s(10) }).verdict.state).toBe('stale');
  });

  test('with them it does not', () => {
    expect(judged(aTurn(), { t: 9999 }).verdict.state).toBe('running');
  });

  test('a wait that has run out is a handover', () => {
    const waits = coarse({
      report: aReport({
        phase: 'waiting',
        requests: [],
        waiting: { for: 'schedule', sinceA: 0, untilInMs: s(60) },
      }),
    });
    expect(judged(waits, { t: 200 }).report).toMatchObject({ phase: 'agent', phaseA: s(60), handover: true });
  });

  describe('the default horizon of a turn without heartbeats', () => {
    const policy = { defaultExpiresAfterMs: s(100) };
    /** Opened at 0; at 5 s it waits, until 20 s: 95 s of its horizon are left. */
    const waiting = (reason: 'approval' | 'retry', over: Partial<Turn> = {}): Turn => {
      const [opened] = tell(undefined, aHappening({ name: 'started' }), { policy });
      const wait = aHappening({ name: 'waiting', for: reason, untilInMs: s(15) });
      const [turn] = tell({ ...(opened as Turn), ...over }, wait, { t: 5, policy });
      return turn as Turn;
    };

    test('is held while it waits for a person, and counted again from the until of the wait', () => {
      const held = waiting('approval');
      expect(held).toMatchObject({ heldMs: s(95), deadlineMs: Number.POSITIVE_INFINITY });
      expect(judged(held, { t: 19.999, policy })).toMatchObject({ heldMs: s(95) });
      const over = judged(held, { t: 20, policy });
      expect(over).toMatchObject({ deadlineMs: bootZeroMs + s(115), byDefault: true });
      expect(over.report.handover).toBe(true);
      expect(over).not.toHaveProperty('heldMs');
      expect(judged(over, { t: 114.999, policy }).verdict.state).not.toBe('expired');
      expect(judged(over, { t: 115, policy }).verdict.state).toBe('expired');
    });

    test('goes on through a wait that does not hold it, and one that was told stays', () => {
      expect(judged(waiting('retry'), { t: 20, policy }).deadlineMs).toBe(bootZeroMs + s(100));
      const told = waiting('approval', { byDefault: false, deadlineMs: bootZeroMs + s(60) });
      expect(judged(told, { t: 20, policy })).toMatchObject({
        byDefault: false,
        deadlineMs: bootZeroMs + s(60),
      });
    });
  });

  test('a settled turn without heartbeats is left alone', () => {
    const turn = coarse({ verdict: ended().verdict });
    expect(transition(turn, { kind: 'judge' }, aContext({ t: 999 }))).toEqual([turn, []]);
  });
});

describe('the engine moved (report 000)', () => {
  const moved = (turn: Turn, over: Partial<Extract<Input, { kind: 'engine' }>>) =>
    transition(
      turn,
      { kind: 'engine', a: s(20), own: false, wide: false, queued: false, ...over },
      aContext(),
    )[0];
  const reading = (over: Partial<Turn> = {}): Turn =>
    aTurn({
      identity: { route: 'local', provider: 'acme', model: 'm1' },
      report: aReport({ phase: 'first_token', requests: [aRequest()] }),
      barrenMs: 77,
      ...over,
    });

  test('its own slot is evidence and fruit', () => {
    expect(moved(reading(), { own: true })).toMatchObject({
      engine: { request: 'r1', queued: false, ownA: s(20) },
      countedA: s(20),
      barrenMs: 0,
    });
  });

  test('another slot is evidence, no fruit', () => {
    expect(moved(reading(), { wide: true })).toMatchObject({
      engine: { request: 'r1', queued: false, wideA: s(20) },
      countedA: s(20),
      barrenMs: 77,
    });
  });

  test('it counts for a turn without heartbeats too', () => {
    expect(moved(reading({ coarse: true }), { own: true })).toMatchObject({
      coarse: true,
      engine: { request: 'r1', queued: false, ownA: s(20) },
      countedA: s(20),
      barrenMs: 0,
    });
  });

  test('nothing moved: nothing counts', () => {
    const after = moved(reading(), {});
    expect(after?.engine).toEqual({ request: 'r1', queued: false });
    expect(after).not.toHaveProperty('countedA');
  });

  test('late samples move nothing back', () => {
    const known = reading({ engine: { request: 'r1', queued: false, ownA: s(30), wideA: s(31) } });
    expect(moved(known, { own: true, wide: true })?.engine).toMatchObject({ ownA: s(30), wideA: s(31) });
  });

  test('what was known of an earlier request is forgotten', () => {
    const known = reading({ engine: { request: 'r0', queued: true, ownA: s(30), queuedA: 1 } });
    expect(moved(known, {})?.engine).toEqual({ request: 'r1', queued: false });
  });

  describe('it says that requests wait', () => {
    test('the request is queued since it was first seen to wait, also when it flaps', () => {
      const queued = moved(reading(), { queued: true });
      expect(queued?.engine).toEqual({ request: 'r1', queued: true, queuedA: s(20) });
      const flapped = queued === undefined ? undefined : moved(queued, { a: s(25), queued: false });
      expect(flapped?.engine).toEqual({ request: 'r1', queued: false, queuedA: s(20) });
    });

    test.each<[string, Turn, boolean]>([
      ['its content came', reading({ report: aReport({ requests: [aRequest({ contentA: 3 })] }) }), false],
      [
        'it has read',
        reading({ report: aReport({ phase: 'first_token', requests: [aRequest()], progressA: 3 }) }),
        false,
      ],
      ['its slot has moved before', reading({ engine: { request: 'r1', queued: false, ownA: 3 } }), false],
      ['its slot moves now', reading(), true],
    ])('not of a request that has begun: %s', (_, turn, own) => {
      expect(moved(turn, { queued: true, own })?.engine?.queued).toBe(false);
    });
  });

  test('it is nothing to a turn without a request, or settled', () => {
    for (const turn of [reading({ report: aReport({ requests: [] }) }), ended()])
      expect(moved(turn, { own: true })).toBe(turn);
  });

  test('its progress is no fruit of a compaction', () => {
    const compacting = reading({ report: aReport({ phase: 'compacting', requests: [aRequest()] }) });
    expect(moved(compacting, { own: true })?.barrenMs).toBe(77);
  });

  test('evidence closes a silence, which teaches', () => {
    expect(moved({ ...reading(), w: s(19) }, { own: true })?.lessons.gaps).toEqual({ first_token: s(20) });
  });
});

describe('what becomes of a child (RULES 4)', () => {
  const parent = toolTurn([aCall(), aCall({ id: 'c2' })]);
  const child = (turn: Turn, what: 'flagged' | 'healthy' | 'ended', call?: string | null, aS = 7) =>
    transition(turn, { kind: 'child', call, what, a: s(aS) }, aContext())[0]?.children;
  const known: Turn = { ...parent, children: { flagged: { c1: 1, c2: 2 }, ended: { c1: 3 }, lastEnd: s(3) } };

  test('flagged: the grace of the call starts', () => {
    expect(child(parent, 'flagged', 'c1')).toEqual({ flagged: { c1: s(7) }, ended: {} });
    expect(child(known, 'flagged', undefined)).toBe(known.children);
  });

  test('ended: its completion should arrive', () => {
    expect(child(parent, 'ended', 'c1')).toEqual({ flagged: {}, ended: { c1: s(7) }, lastEnd: s(7) });
    expect(child(known, 'ended', undefined, 1)).toEqual({ ...known.children, lastEnd: s(3) });
  });

  test('healthy again: it answers for the call', () => {
    expect(child(known, 'healthy', 'c1')).toEqual({ flagged: { c2: 2 }, ended: {}, lastEnd: s(3) });
    expect(child(parent, 'healthy', 'c1')).toEqual({ flagged: {}, ended: {} });
  });

  test('one without a say: its end makes no verdict on a wait, and gives it its time', () => {
    expect(child(parent, 'ended', null)).toBe(parent.children);
    expect(child(known, 'ended', null)).toEqual({ ...known.children, lastEnd: s(7) });
  });

  test('a settled parent does not care', () => {
    const turn = ended();
    expect(transition(turn, { kind: 'child', call: 'c1', what: 'ended', a: 1 }, aContext())).toEqual([
      turn,
      [],
    ]);
  });
});

test('the same turn, input and context always give the same answer', () => {
  const signal = aSignal({ origin: { seq: 9, a: s(40) }, report: aReport({ lastA: s(39) }) });
  const turn = aTurn({ startedMs: wallZeroMs });
  expect(tell(turn, signal)).toEqual(tell(turn, signal));
});
