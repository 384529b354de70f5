import { describe, expect, test } from 'vitest';
import { aCall, aContext, aReport, aTurn, eventsOf, s, wallZeroMs } from '../fixtures/given.ts';
import { reasons, stalls } from '../fixtures/stalls.ts';
import { judge } from './judge.ts';
import { endTurn, type TurnEffect } from './settle.ts';
import type { Outcome } from './signal.ts';
import { noLessons, type Turn, type TurnLessons } from './turn.ts';

const teachings = (effects: readonly TurnEffect[]) =>
  effects.filter((effect) => effect.kind === 'admit' || effect.kind === 'censor' || effect.kind === 'refute');
const counts = (effects: readonly TurnEffect[]) =>
  effects.flatMap((effect) => (effect.kind === 'count' ? [effect.what] : []));

const lessons: TurnLessons = {
  gaps: { first_token: s(4), text: s(9) },
  hung: {},
  pinged: { text: s(30) },
  reads: [{ tokens: 5000, ms: s(4) }],
};

describe('the end of a turn', () => {
  test('closes its calls and requests, is kept, and told to the shell', () => {
    const turn = aTurn({
      report: aReport({ calls: [aCall()] }),
      requestDeadlines: { r1: 5 },
      deadlineMs: 9,
      lessons,
    });
    const [after, effects] = endTurn(turn, 'completed', aContext({ t: 7 }));
    expect(after).toMatchObject({
      report: { requests: [], calls: [] },
      requestDeadlines: {},
      deadlineMs: Number.POSITIVE_INFINITY,
      lessons: noLessons,
      verdict: { state: 'ended', outcome: 'completed', atMs: wallZeroMs + s(7) },
    });
    expect(effects.slice(-2)).toEqual([
      { kind: 'ended', turn: 'T', attempt: 1, outcome: 'completed' },
      { kind: 'keep', turn: 'T' },
    ]);
    expect(eventsOf(effects)).toEqual([]);
  });

  test('a second end changes nothing; one after the horizon is counted as late (report 004)', () => {
    const ended = aTurn({ verdict: { state: 'ended', outcome: 'completed', atMs: 1 } });
    expect(endTurn(ended, 'failed', aContext())).toEqual([ended, []]);
    const [expired] = judge(aTurn({ deadlineMs: 0 }), aContext());
    expect(endTurn(expired, 'completed', aContext())).toEqual([
      expired,
      [{ kind: 'count', what: 'late_settlement' }],
    ]);
  });
});

describe('who teaches (report 002: healthy turns alone)', () => {
  const end = (outcome: Outcome, over: Partial<Turn> = {}) =>
    teachings(endTurn(aTurn({ lessons, ...over }), outcome, aContext())[1]);

  test('a completed turn teaches each of its keys', () => {
    expect(end('completed')).toEqual([
      {
        kind: 'admit',
        key: 'acme|m1|first_token',
        lesson: { turn: 'T', gapMs: s(4), reads: [{ tokens: 5000, ms: s(4) }] },
      },
      { kind: 'admit', key: 'acme|m1|text', lesson: { turn: 'T', gapMs: s(9), pingedMs: s(30) } },
    ]);
  });

  test('a pinged gap alone is no sample; reads belong to the first token', () => {
    expect(end('completed', { lessons: { ...noLessons, pinged: { text: 5 } } })).toEqual([
      { kind: 'admit', key: 'acme|m1|text', lesson: { turn: 'T', pingedMs: 5 } },
    ]);
    expect(end('completed', { lessons: { ...noLessons, gaps: { first_token: 5 } } })).toEqual([
      { kind: 'admit', key: 'acme|m1|first_token', lesson: { turn: 'T', gapMs: 5 } },
    ]);
  });

  test.each(['failed', 'cancelled'] as const)('the gaps of a %s turn are censored', (outcome) => {
    expect(end(outcome)).toEqual([
      { kind: 'censor', key: 'acme|m1|first_token', gapMs: s(4) },
      { kind: 'censor', key: 'acme|m1|text', gapMs: s(9) },
    ]);
  });

  test('the silence that a failed end closed is censored with them; a completed turn does not teach it', () => {
    const hung = { text: s(60), agent: s(7), first_token: s(1) };
    expect(end('failed', { lessons: { ...lessons, hung } })).toEqual([
      { kind: 'censor', key: 'acme|m1|first_token', gapMs: s(4) },
      { kind: 'censor', key: 'acme|m1|text', gapMs: s(60) },
      { kind: 'censor', key: 'acme|m1|agent', gapMs: s(7) },
    ]);
    expect(end('completed', { lessons: { ...lessons, hung } })).toEqual(end('completed'));
  });

  test('an end that nobody saw teaches nothing', () => {
    expect(end('unknown')).toEqual([]);
  });

  test('a turn without provider and model has keys too', () => {
    expect(end('failed', { identity: {}, lessons: { ...noLessons, gaps: { text: 5 } } })).toEqual([
      { kind: 'censor', key: '||text', gapMs: 5 },
    ]);
  });
});

describe('the end of a stale turn', () => {
  const staleTurn = (reason: (typeof reasons)[number]): Turn => {
    const { turn, surroundings } = stalls[reason];
    return judge(turn, aContext({ t: 5, ...surroundings }))[0];
  };

  test.each(reasons.filter((reason) => reason !== 'process_exited'))(
    '%s: a completed end recovers it',
    (reason) => {
      const [, effects] = endTurn(staleTurn(reason), 'completed', aContext({ t: 12 }));
      expect(eventsOf(effects)).toMatchObject([
        {
          type: 'turn.recovered',
          recovered: {
            reason,
            episode: 1,
            by: 'turn_ended',
            staleSinceMs: wallZeroMs + s(5),
            recoveredAtMs: wallZeroMs + s(12),
            staleForMs: s(7),
          },
        },
      ]);
      expect(counts(effects)).toEqual(['refuted']);
    },
  );

  test('process_exited: a late end ends it, without a recovery', () => {
    const [turn, effects] = endTurn(staleTurn('process_exited'), 'completed', aContext());
    expect(turn.verdict).toMatchObject({ state: 'ended', outcome: 'completed' });
    expect(eventsOf(effects)).toEqual([]);
    expect(counts(effects)).toEqual([]);
  });

  test.each(['failed', 'cancelled'] as const)('a %s end is no recovery', (outcome) => {
    for (const reason of reasons) {
      const [turn, effects] = endTurn(staleTurn(reason), outcome, aContext());
      expect(turn.verdict, reason).toMatchObject({ state: 'ended', outcome });
      expect(eventsOf(effects), reason).toEqual([]);
      expect(teachings(effects), reason).toEqual([]);
    }
    for (const reason of ['silence', 'engine_only', 'provider_error'] as const)
      expect(counts(endTurn(staleTurn(reason), outcome, aContext())[1]), reason).toEqual(['confirmed']);
  });

  test('an end that nobody saw says nothing about the verdict', () => {
    const [, effects] = endTurn(staleTurn('silence'), 'unknown', aContext());
    expect(counts(effects)).toEqual([]);
  });

  test('a refuted silence backs off the key that judged it, other reasons none', () => {
    const refuted = (reason: (typeof reasons)[number]) =>
      teachings(endTurn(staleTurn(reason), 'completed', aContext())[1]).filter(
        (each) => each.kind === 'refute',
      );
    expect(refuted('silence')).toEqual([{ kind: 'refute', key: 'acme|m1|text' }]);
    for (const reason of reasons) if (reason !== 'silence') expect(refuted(reason), reason).toEqual([]);
  });

  test('one that went on before it failed, between two heartbeats, was no stall', () => {
    const turn = staleTurn('silence');
    const report = { ...turn.report, lastContentA: s(113), lastA: s(114), failedA: s(114) };
    const [, effects] = endTurn({ ...turn, report }, 'failed', aContext());
    expect(eventsOf(effects)).toMatchObject([{ type: 'turn.recovered', recovered: { by: 'activity' } }]);
    expect(counts(effects)).toEqual(['refuted']);
  });

  test('a refuted handover backs off nothing: it teaches nothing either', () => {
    const handover = aReport({ phase: 'agent', requests: [], handover: true });
    const [turn] = judge(aTurn({ w: s(150), report: handover }), aContext());
    expect(turn.verdict).toMatchObject({ state: 'stale', reason: 'silence', key: null });
    expect(teachings(endTurn(turn, 'completed', aContext())[1])).toEqual([]);
  });
});
