import { describe, expect, test } from 'vitest';
import { aCall, aContext, aReport, aRequest, aTurn, s } from '../fixtures/given.ts';
import { reasons, stalls } from '../fixtures/stalls.ts';
import type { StaleReason } from './event.ts';
import { judge } from './judge.ts';
import { clearanceOf } from './recovery.ts';
import type { TurnReport } from './signal.ts';
import type { Turn, Verdict } from './turn.ts';

type Stale = Extract<Verdict, { state: 'stale' }>;

function staleOf(reason: StaleReason): readonly [Turn, Stale] {
  const { turn, surroundings } = stalls[reason];
  const [after] = judge(turn, aContext(surroundings));
  if (after.verdict.state !== 'stale') throw new Error(`${reason} is not stale`);
  return [after, after.verdict];
}

function clearance(
  reason: StaleReason,
  report: Partial<TurnReport> = {},
  over: Partial<Turn> = {},
  surroundings: Parameters<typeof aContext>[0] = {},
) {
  const [turn, stale] = staleOf(reason);
  return clearanceOf(
    { ...turn, ...over, report: { ...turn.report, ...report } },
    stale,
    aContext(surroundings),
  );
}

describe('a stale verdict is cleared only when its own cause is gone (RULES 5)', () => {
  test.each(reasons.filter((reason) => stalls[reason].gone !== undefined))(
    '%s: its cause is gone',
    (reason) => {
      const { gone } = stalls[reason];
      expect(clearance(reason, gone?.report, gone?.turn)).toEqual({ kind: 'recovered', by: gone?.by });
    },
  );

  test.each(reasons)('%s: loss of data, or nothing new, never clears it', (reason) => {
    expect(clearance(reason, {}, { w: s(1e6) }, stalls[reason].surroundings)).toBeNull();
  });

  test('an exited process never comes back', () => {
    expect(clearance('process_exited', { lastA: s(1e6), lastContentA: s(1e6) })).toBeNull();
  });

  test('activity does not clear what another cause made', () => {
    const busy = { lastA: s(1e5), lastKind: 'agent_step' } as const;
    for (const reason of ['tool_silence', 'lost_completion', 'no_content'] as const)
      expect(clearance(reason, busy), reason).toBeNull();
    for (const reason of ['process_unreachable', 'process_blocked'] as const)
      expect(clearance(reason, busy, {}, stalls[reason].surroundings), reason).toBeNull();
  });

  test('a process that has exited since is not reachable again', () => {
    expect(clearance('process_unreachable', {}, {}, { process: { exited: true } })).toBeNull();
  });

  test('a main loop of 5 s is not free yet', () => {
    expect(clearance('process_blocked', {}, {}, { process: { loopAgeMs: s(5) } })).toBeNull();
    expect(clearance('process_blocked', {}, {}, { process: { loopAgeMs: s(5) - 1 } })).not.toBeNull();
  });
});

describe('silence, engine_only, provider_error', () => {
  test('counted evidence clears them', () => {
    for (const reason of ['silence', 'engine_only', 'provider_error'] as const)
      expect(clearance(reason, {}, { countedA: s(9999) })).toEqual({ kind: 'recovered', by: 'evidence' });
  });

  test('a client that gives up the dead stream confirms them: no recovery (report 002)', () => {
    for (const reason of ['silence', 'engine_only', 'provider_error'] as const)
      expect(clearance(reason, { lastA: s(9999), failedA: s(9999) })).toEqual({ kind: 'confirmed' });
  });

  test.each<[string, Partial<TurnReport>]>([
    ['content', { lastContentA: s(113) }],
    ['a completed request', { completedA: s(113) }],
    ['a new request', { requests: [aRequest({ startedA: s(113) })] }],
  ])('%s before the failure was life', (_, before) => {
    expect(clearance('silence', { ...before, lastA: s(120), failedA: s(120) })).toEqual({
      kind: 'recovered',
      by: 'activity',
    });
  });

  test('work that began after the failure does not refute the verdict', () => {
    const after = { requests: [aRequest({ startedA: s(121) })], lastContentA: s(122) };
    expect(clearance('silence', { ...after, lastA: s(122), failedA: s(120) })).toEqual({ kind: 'confirmed' });
  });

  test('a failure before the verdict is nothing', () => {
    expect(clearance('silence', { failedA: s(100) })).toBeNull();
  });
});

describe('no_content', () => {
  test.each<[string, Partial<TurnReport>, Partial<Turn>]>([
    ['content', { lastContentA: s(4001) }, {}],
    ['a completed request', { completedA: s(4001) }, {}],
    ['own progress', { progressA: s(4001) }, {}],
    ['the own slot of the engine', {}, { engine: { request: 'r1', queued: false, ownA: s(4001) } }],
  ])('%s ends it', (_, report, over) => {
    expect(clearance('no_content', report, over)).toEqual({ kind: 'recovered', by: 'content' });
  });
});

describe('tool_silence and lost_completion', () => {
  function clearedWith(calls: TurnReport['calls'], over: Partial<TurnReport> = {}) {
    const turn = aTurn({
      w: s(1800),
      report: aReport({
        phase: 'tool',
        requests: [],
        calls: [aCall(), aCall({ id: 'c2', quietSinceA: s(2) })],
      }),
    });
    const [after] = judge(turn, aContext());
    if (after.verdict.state !== 'stale') throw new Error('the calls are past their grace');
    expect(after.verdict.expiredCalls).toEqual(['c1', 'c2']);
    return clearanceOf(
      { ...after, w: s(1801), report: { ...after.report, calls, ...over } },
      after.verdict,
      aContext(),
    );
  }

  test.each<[string, TurnReport['calls'], boolean]>([
    ['one of the two has spoken', [aCall(), aCall({ id: 'c2', updates: 1 })], false],
    ['one has spoken, one has ended', [aCall({ updates: 1 })], true],
    ['both have ended', [], true],
    ['both have ended, another is silent: that is an episode of its own', [aCall({ id: 'c3' })], true],
    ['another one speaks (report 001)', [aCall(), aCall({ id: 'c3', updates: 9 })], false],
    [
      'the end of a wait restarts a grace and is no word of the call',
      [aCall({ quietSinceA: s(1801) })],
      false,
    ],
  ])('%s: %s', (_, calls, cleared) => {
    expect(clearedWith(calls) !== null).toBe(cleared);
  });

  test.each<[string, TurnReport['calls'], boolean]>([
    ['it sends an update', [aCall({ quietSinceA: s(251), updates: 4 })], true],
    ['it ends', [], true],
    ['an update that was known at the verdict', [aCall({ quietSinceA: s(251), updates: 3 })], false],
    ['another call speaks', [aCall({ updates: 3 }), aCall({ id: 'c2', updates: 9 })], false],
  ])('a lost completion, then %s: %s', (_, calls, cleared) => {
    const { turn } = stalls.lost_completion;
    const [known] = judge(
      { ...turn, report: { ...turn.report, calls: [aCall({ updates: 3 })] } },
      aContext(),
    );
    if (known.verdict.state !== 'stale') throw new Error('the completion is lost');
    const later: Turn = { ...known, w: s(252), report: { ...known.report, calls } };
    expect(clearanceOf(later, known.verdict, aContext()) !== null).toBe(cleared);
  });

  test('a wait for a child is over when the turn no longer waits for one', () => {
    const waiting = { for: 'child', sinceA: 0 } as const;
    const [turn] = judge(
      aTurn({
        w: s(160),
        report: aReport({ phase: 'waiting', requests: [], waiting }),
        children: { flagged: {}, ended: {}, lastEnd: s(10) },
      }),
      aContext(),
    );
    if (turn.verdict.state !== 'stale') throw new Error('the completion is lost');
    expect(clearanceOf(turn, turn.verdict, aContext())).toBeNull();
    const { waiting: _over, ...report } = turn.report;
    expect(clearanceOf({ ...turn, report }, turn.verdict, aContext())).toEqual({
      kind: 'recovered',
      by: 'tool_call',
    });
  });
});
