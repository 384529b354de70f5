import { describe, expect, test } from 'vitest';
import { aCall, aReport, s, toolTurn } from '../fixtures/given.ts';
import { childless } from './family.ts';
import { anyCallExpired, type ChildrenOfCalls, graceMs, lostCompletions, pendingCalls } from './grace.ts';
import { makePolicy } from './policy.ts';
import type { CallReport, TurnReport } from './signal.ts';
import { noChildren, type Turn } from './turn.ts';

const policy = makePolicy();
const withReport = (turn: Turn, report: Partial<TurnReport>): Turn => ({
  ...turn,
  report: { ...turn.report, ...report },
});
const working = (...calls: readonly string[]): ChildrenOfCalls => ({
  answersFor: (call) => calls.includes(call),
  anyOpen: (call) => (call === undefined ? calls.length > 0 : calls.includes(call)),
});
/** Children that are open and stale: they answer for nothing. */
const staleOnes = (...calls: readonly string[]): ChildrenOfCalls => ({
  ...working(...calls),
  answersFor: () => false,
});

describe('grace = 3 x 600 s, or the declared time-out + 60 s where that is longer (report 001)', () => {
  test.each<[string, Partial<CallReport>, number]>([
    ['nothing declared', {}, 1800],
    ['a short time-out', { timeoutMs: s(30) }, 1800],
    ['1740 s + 60 s', { timeoutMs: s(1740) }, 1800],
    ['1741 s + 60 s', { timeoutMs: s(1741) }, 1801],
    ['two hours', { timeoutMs: s(7200) }, 7260],
  ])('%s', (_, call, graceS) => {
    expect(graceMs(aCall(call), policy)).toBe(s(graceS));
  });

  test('toolIdleTimeout 0 switches the rule off, whatever is declared', () => {
    const off = makePolicy({ toolIdleTimeoutMs: 0 });
    expect(graceMs(aCall({ timeoutMs: s(10) }), off)).toBe(Number.POSITIVE_INFINITY);
    expect(anyCallExpired(toolTurn([aCall()], { w: s(1e6) }), off, childless)).toBe(false);
  });
});

describe('each call has its own grace', () => {
  const expired = (turn: Turn, children = childless): boolean => anyCallExpired(turn, policy, children);

  test('it is over at 1800 s of its own quiet, not before', () => {
    expect(expired(toolTurn([aCall()], { w: s(1800) - 1 }))).toBe(false);
    expect(expired(toolTurn([aCall()], { w: s(1800) }))).toBe(true);
  });

  test('the progress of another call does not help (report 001)', () => {
    const calls = [aCall(), aCall({ id: 'c2', quietSinceA: s(1799), updates: 99 })];
    expect(expired(toolTurn(calls, { w: s(1800) }))).toBe(true);
  });

  test('its own progress restarts it', () => {
    expect(expired(toolTurn([aCall({ quietSinceA: s(10), updates: 1 })], { w: s(1809) }))).toBe(false);
    expect(expired(toolTurn([aCall({ quietSinceA: s(10), updates: 1 })], { w: s(1810) }))).toBe(true);
  });

  test('a wake after a long pause restarts it', () => {
    const turn = withReport(toolTurn([aCall()], { w: s(1800) }), { wokeA: s(100) });
    expect(expired(turn)).toBe(false);
    expect(expired({ ...turn, w: s(1900) })).toBe(true);
  });

  test('a wait stops all graces, one that names a call only that of the call', () => {
    const turn = toolTurn([aCall(), aCall({ id: 'c2' })], { w: s(1800) });
    const waiting = (call?: string): Turn =>
      withReport(turn, {
        waiting: { for: 'approval', sinceA: s(1), ...(call === undefined ? {} : { call }) },
      });
    const marked = (each: Turn): string[] =>
      pendingCalls(each, policy, childless, true).flatMap((call) => (call.expired ? [call.id] : []));
    expect(marked(turn)).toEqual(['c1', 'c2']);
    expect(marked(waiting())).toEqual([]);
    expect(marked(waiting('c1'))).toEqual(['c2']);
    expect(expired(waiting('c1'))).toBe(true);
    expect(expired(waiting())).toBe(false);
  });

  test('a child that works answers for its call; the grace starts when the child is flagged', () => {
    const turn = toolTurn([aCall()], { w: s(5000) });
    expect(expired(turn, working('c1'))).toBe(false);
    expect(expired(turn, working('c2'))).toBe(true);
    const flagged: Turn = { ...turn, children: { ...noChildren, flagged: { c1: s(4000) } } };
    expect(expired(flagged)).toBe(false);
    expect(expired({ ...flagged, w: s(5800) })).toBe(true);
  });
});

describe('diagnostics are truthful (report 001)', () => {
  test('every pending call is named, with its age, quiet, grace and updates', () => {
    const calls = [
      aCall({ name: 'bash', startedA: s(100), quietSinceA: s(400), updates: 3 }),
      aCall({ id: 'c2', startedA: s(1000), quietSinceA: s(1000), timeoutMs: s(3600) }),
    ];
    expect(pendingCalls(toolTurn(calls, { w: s(2200) }), policy, childless, true)).toEqual([
      {
        id: 'c1',
        name: 'bash',
        ageMs: s(2100),
        quietMs: s(1800),
        graceMs: s(1800),
        updates: 3,
        expired: true,
      },
      { id: 'c2', ageMs: s(1200), quietMs: s(1200), graceMs: s(3660), updates: 0, expired: false },
    ]);
  });

  test('calls within 5 s of their grace stopped together with the expired one', () => {
    const calls = [
      aCall(),
      aCall({ id: 'c2', quietSinceA: s(5) }),
      aCall({ id: 'c3', quietSinceA: s(5.001) }),
    ];
    const turn = toolTurn(calls, { w: s(1800) });
    const marks = (atVerdict: boolean): boolean[] =>
      pendingCalls(turn, policy, childless, atVerdict).map((call) => call.expired);
    expect(marks(true)).toEqual([true, true, false]);
    expect(marks(false)).toEqual([true, false, false]);
  });

  test('ages are never negative', () => {
    const [call] = pendingCalls(toolTurn([aCall({ startedA: 9, quietSinceA: 9 })]), policy, childless, false);
    expect(call).toMatchObject({ ageMs: 0, quietMs: 0 });
  });
});

describe('a completion that got lost: the child has ended, the call stays open 1.25 x 120 s', () => {
  const lost = (turn: Turn, children = childless): string[] => lostCompletions(turn, policy, children);
  const ended = (turn: Turn, endedA: number): Turn => ({
    ...turn,
    children: { flagged: {}, ended: { c1: endedA }, lastEnd: endedA },
  });
  const open = toolTurn([aCall()]);

  test.each([
    ['at 149.999 s', ended({ ...open, w: s(1150) - 1 }, s(1000)), []],
    ['at 150 s', ended({ ...open, w: s(1150) }, s(1000)), ['c1']],
    ['no child of it has ended', { ...open, w: s(1e5) }, []],
    [
      'an update of the call after the end',
      ended(toolTurn([aCall({ quietSinceA: s(1001) })], { w: s(1150) }), s(1000)),
      [],
    ],
  ] as const)('%s', (_, turn, calls) => {
    expect(lost(turn)).toEqual(calls);
  });

  test('an update restarts the 150 s, since a call that speaks is not lost', () => {
    const spoke = (wS: number) =>
      lost(ended(toolTurn([aCall({ quietSinceA: s(1100), updates: 1 })], { w: s(wS) }), s(1000)));
    expect(spoke(1249.999)).toEqual([]);
    expect(spoke(1250)).toEqual(['c1']);
  });

  test('its own grace no longer counts then: silence while the child worked is not its own', () => {
    const turn = ended(toolTurn([aCall()], { w: s(1900) }), s(1890));
    expect(anyCallExpired(turn, policy, childless)).toBe(false);
    expect(lost(turn)).toEqual([]);
  });

  test('another child works on it, or the turn waits for a person', () => {
    const turn = ended({ ...open, w: s(1150) }, s(1000));
    expect(lost(turn, working('c1'))).toEqual([]);
    expect(lost(turn, working('c2'))).toEqual(['c1']);
    expect(lost(withReport(turn, { waiting: { for: 'approval', sinceA: 0 } }))).toEqual([]);
  });

  test('another child of it is open, though stale: its own event told the parent', () => {
    const turn = ended({ ...open, w: s(1150) }, s(1000));
    expect(lost(turn, staleOnes('c1'))).toEqual([]);
    expect(lost(turn, staleOnes('c2'))).toEqual(['c1']);
  });

  test('while another child of it is open and stale its own grace counts: somebody must watch it', () => {
    const turn = ended(toolTurn([aCall()], { w: s(1900) }), s(1890));
    expect(anyCallExpired(turn, policy, staleOnes('c1'))).toBe(true);
  });

  test.each([0.1, 1])('1.25 is literal: confirmRatio %d has no say in it', (confirmRatio) => {
    const own = makePolicy({ handoverMs: s(40), confirmRatio });
    const after = (wS: number) => lostCompletions(ended({ ...open, w: s(wS) }, s(1000)), own, childless);
    expect(after(1049.999)).toEqual([]);
    expect(after(1050)).toEqual(['c1']);
  });

  describe('a wait for a child without a call', () => {
    const waits = (over: Partial<Turn>): Turn => ({
      ...withReport(
        toolTurn([]),
        aReport({ phase: 'waiting', requests: [], waiting: { for: 'child', sinceA: s(10) } }),
      ),
      ...over,
    });
    const lastEnd = (seconds: number) => ({ ...noChildren, lastEnd: s(seconds) });

    test.each([
      ['150 s after its end', { w: s(650), children: lastEnd(500) }, ['*']],
      ['just before', { w: s(650) - 1, children: lastEnd(500) }, []],
      ['no child has ended', { w: s(9999) }, []],
      ['the child ended before the wait began', { w: s(159), children: lastEnd(5) }, []],
      ['then the wait itself counts', { w: s(160), children: lastEnd(5) }, ['*']],
    ])('%s', (_, over, calls) => {
      expect(lost(waits(over))).toEqual(calls);
    });

    test('while another child works it is a healthy wait', () => {
      expect(lost(waits({ w: s(650), children: lastEnd(500) }), working('c9'))).toEqual([]);
    });

    test('nor is it lost while another child is open, though stale', () => {
      expect(lost(waits({ w: s(650), children: lastEnd(500) }), staleOnes('c9'))).toEqual([]);
    });

    test('a wait for somebody else is not a wait for a child', () => {
      const turn = waits({ w: s(650), children: lastEnd(500) });
      expect(lost(withReport(turn, { waiting: { for: 'input', sinceA: 0 } }))).toEqual([]);
    });
  });
});
