import { describe, expect, test } from 'vitest';
import { aCall, aReport, aRequest, aTurn, learned, s } from '../fixtures/given.ts';
import { emptyBaseline } from './baseline.ts';
import { makePolicy } from './policy.ts';
import type { TurnReport } from './signal.ts';
import { keyParts, silenceOf } from './silence.ts';
import type { Turn } from './turn.ts';

const policy = makePolicy({ preset: 'measured' });
const silence = (turn: Turn, known: Readonly<Record<string, ReturnType<typeof learned>>> = {}, lagMs = 0) =>
  silenceOf(turn, policy, (key) => known[key] ?? emptyBaseline, lagMs);
const text = (report: Partial<TurnReport>, over: Partial<Turn> = {}): Turn =>
  aTurn({ w: s(100), report: aReport(report), ...over });

describe('silence is measured on the clock of the producer, from the newest of (RULES 1)', () => {
  test.each([
    ['last activity', { lastA: s(40) }, {}, 60],
    ['start of the phase', { lastA: s(40), phaseA: s(50) }, {}, 50],
    ['wake after a long pause (report 002)', { lastA: s(40), wokeA: s(70) }, {}, 30],
    ['evidence that counted', { lastA: s(40) }, { countedA: s(80) }, 20],
    ['nothing newer than the report itself: never negative', { lastA: s(101) }, {}, 0],
  ] as const)('%s', (_, report, over, silenceS) => {
    expect(silence(text(report, over))?.silenceMs).toBe(s(silenceS));
  });

  test.each(['tool', 'waiting'] as const)('%s is not judged by silence', (phase) => {
    expect(silence(text({ phase }))).toBeUndefined();
  });
});

test('open calls defer it while no request is open, also while the history is compacted (RULES 4)', () => {
  const compacting: Partial<TurnReport> = { phase: 'compacting', requests: [] };
  expect(silence(text({ ...compacting, calls: [aCall()] }))).toBeUndefined();
  expect(silence(text({ ...compacting, calls: [aCall()], requests: [aRequest()] }))?.silenceMs).toBe(s(100));
  expect(silence(text(compacting))?.silenceMs).toBe(s(100));
});

describe('a silence is judged under the key of its phase', () => {
  test('the bare key without evidence, a key of its own with it', () => {
    const known = { 'acme|m1|text': learned(20, s(18)), 'acme|m1|text+evidence': learned(20, s(40)) };
    expect(silence(text({}), known)).toMatchObject({ key: 'text', threshold: { thresholdMs: s(27) } });
    expect(silence(text({}, { countedA: s(5) }), known)).toMatchObject({
      key: 'text+evidence',
      threshold: { thresholdMs: s(60) },
    });
  });

  test('evidence of an earlier phase does not choose the key', () => {
    expect(silence(text({ phaseA: s(6) }, { countedA: s(5) }))?.key).toBe('text');
  });

  test('a turn that names neither provider nor model has a key too', () => {
    expect(keyParts(aTurn({ identity: {} }))).toEqual({ provider: '', model: '', route: 'api' });
    expect(keyParts(aTurn({ identity: { provider: 'a', model: 'b', route: 'local' } }))).toEqual({
      provider: 'a',
      model: 'b',
      route: 'local',
    });
  });

  test('a known prompt size reaches the threshold', () => {
    const turn = text({ phase: 'first_token', requests: [aRequest({ promptTokens: 500_000 })] });
    expect(silenceOf(turn, makePolicy(), () => emptyBaseline, 0)?.threshold.thresholdMs).toBe(s(500));
  });
});

describe('keep-alives after content are capped by max(2T, 1.5 x the largest pinged gap, 180 s) (report 000)', () => {
  const pinged = (keepaliveS: number): Turn =>
    text({ lastContentA: 0, keepaliveA: s(keepaliveS) }, { w: s(keepaliveS) });

  test.each([
    ['180 s at least', learned(20, s(20)), emptyBaseline, 180],
    ['twice T', learned(20, s(80)), emptyBaseline, 240],
    [
      '1.5 x the largest pinged gap of the bare key',
      learned(20, s(20)),
      learned(0, 0, { maxPingedMs: s(400) }),
      600,
    ],
  ])('%s', (_, withEvidence, bare, capS) => {
    const known = { 'acme|m1|text+evidence': withEvidence, 'acme|m1|text': bare };
    expect(silence(pinged(capS - 1), known)).toMatchObject({ silenceMs: 0, engineOnly: false });
    expect(silence(pinged(capS), known)).toMatchObject({ silenceMs: s(capS), engineOnly: true });
  });
});

test('only evidence that goes on beyond its cap makes a verdict engine_only', () => {
  const identity = { route: 'local' } as const;
  const since = { lastA: s(10), phaseA: s(10) };
  const w = s(4000);
  expect(silence(text({ ...since, progressA: s(1900) }, { identity, w }))?.engineOnly).toBe(true);
  expect(silence(text({ ...since, progressA: s(1900), wokeA: s(1950) }, { identity, w }))?.engineOnly).toBe(
    false,
  );
  expect(silence(text(since, { identity, w }))?.engineOnly).toBe(false);
});

describe('after a wait has run out (handover)', () => {
  const handover = (over: Partial<Turn> = {}): Turn =>
    text({ phase: 'agent', phaseA: s(30), handover: true, requests: [] }, over);

  test('120 s whatever the phase has learned', () => {
    expect(silence(handover(), { 'acme|m1|agent': learned(20, s(1)) })).toMatchObject({
      key: null,
      silenceMs: s(70),
      threshold: { thresholdMs: s(120), confirmMs: s(30), source: 'default', samples: 0 },
    });
  });

  test('evidence counted before goes on being known', () => {
    expect(silence(handover({ countedA: s(5) }))?.countedA).toBe(s(5));
  });
});

test('telemetry without heartbeats is late by its path, so T grows by that (RULES 5)', () => {
  expect(silence(text({}), {}, s(10))?.threshold).toMatchObject({
    thresholdMs: s(100),
    confirmMs: s(25),
    suspectMs: s(100),
  });
});
