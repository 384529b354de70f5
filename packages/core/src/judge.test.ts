import { describe, expect, test } from 'vitest';
import {
  aCall,
  aContext,
  aReport,
  aRequest,
  aTurn,
  bootZeroMs,
  eventsOf,
  learned,
  s,
  wallZeroMs,
} from '../fixtures/given.ts';
import { reasons, stalls } from '../fixtures/stalls.ts';
import { coarseReport } from './coarse.ts';
import { judge } from './judge.ts';
import type { TurnReport } from './signal.ts';
import { noLessons, type Turn } from './turn.ts';

const turnAt = (wS: number, report: Partial<TurnReport> = {}, over: Partial<Turn> = {}): Turn =>
  aTurn({ w: s(wS), report: aReport(report), ...over });

describe('idle', () => {
  const idle = { phase: 'idle', requests: [], calls: [] } as const;

  test('is never silence', () => {
    expect(judge(turnAt(80_000, idle), aContext({ t: 80_000 }))[0].verdict.state).toBe('running');
  });

  test('at the default horizon it has ended, nobody knows how, and nobody is told', () => {
    const turn = turnAt(80_000, idle, { deadlineMs: bootZeroMs + s(86_400), byDefault: true });
    const [ended, effects] = judge(turn, aContext({ t: 86_400 }));
    expect(ended.verdict).toMatchObject({ state: 'ended', outcome: 'unknown' });
    expect(eventsOf(effects)).toEqual([]);
  });

  test('a horizon that was given holds', () => {
    const turn = turnAt(80_000, idle, { deadlineMs: bootZeroMs + s(86_400) });
    expect(judge(turn, aContext({ t: 86_400 }))[0].verdict.state).toBe('expired');
  });
});

describe('silence: suspect at T, stale at T + C (report 002)', () => {
  // Text, nothing learned: T = 90 s, C = 22.5 s.
  test.each([
    [89.999, 'running', []],
    [90, 'suspect', ['turn.suspect']],
    [112.499, 'suspect', ['turn.suspect']],
    [112.5, 'stale', ['turn.stale']],
  ])('at %s s of silence: %s', (wS, state, events) => {
    const [turn, effects] = judge(turnAt(wS), aContext({ t: 500 }));
    expect(turn.verdict.state).toBe(state);
    expect(eventsOf(effects).map((event) => event.type)).toEqual(events);
  });

  // Strict, 400 samples up to 60 s: suspect from 1.25 x 90 s on, T = 124.883 s, T + C = 156.103 s.
  test.each([
    [112.499, 'running'],
    [112.5, 'suspect'],
    [156.103, 'suspect'],
    [156.104, 'stale'],
  ])('strict, at %s s: %s', (wS, state) => {
    const ctx = aContext({ policy: { preset: 'strict' }, baselines: () => learned(400, s(60)) });
    expect(judge(turnAt(wS), ctx)[0].verdict.state).toBe(state);
  });

  test('T is looked up at judging time', () => {
    const turn = turnAt(100);
    expect(judge(turn, aContext({ baselines: () => learned(20, s(18)) }))[0].verdict.state).toBe('stale');
    expect(judge(turn, aContext({ baselines: () => learned(20, s(100)) }))[0].verdict.state).toBe('running');
  });

  test('the verdict says what it rests on', () => {
    const suspectMs = wallZeroMs + s(30);
    const turn = turnAt(
      40,
      { lastKind: 'chunk' },
      { suspectMs, lastActivityMs: wallZeroMs - 1, heardAwakeMs: 1 },
    );
    const ctx = aContext({ t: 50, baselines: () => learned(20, s(18)), recipient: 'P' });
    const [after, effects] = judge(turn, ctx);
    const stale = {
      reason: 'silence',
      phase: 'text',
      episode: 1,
      lastActivityAtMs: wallZeroMs - 1,
      lastActivityKind: 'chunk',
      staleSinceMs: wallZeroMs + s(50),
      suspectAtMs: suspectMs,
      silenceMs: s(40),
      thresholdMs: s(27),
      thresholdSource: 'measured',
      confirmMs: s(6.75),
      largestHealthyGapMs: s(18),
      samples: 20,
      falseFlagEstimate: expect.closeTo(0.0185471, 6),
      precision: 'proven',
      pendingCalls: [],
    };
    expect(effects).toEqual([
      {
        kind: 'publish',
        event: {
          type: 'turn.stale',
          turn: 'T',
          attempt: 1,
          identity: { provider: 'acme', model: 'm1' },
          atMs: wallZeroMs + s(50),
          tellsParent: true,
          recipient: 'P',
          stale,
        },
      },
      { kind: 'keep', turn: 'T' },
    ]);
    expect(after.verdict).toEqual({
      state: 'stale',
      reason: 'silence',
      sinceMs: wallZeroMs + s(50),
      atA: s(40),
      key: 'text',
      expiredCalls: [],
      updates: {},
      details: stale,
    });
  });

  test('a managed turn tells no parent; the verdict stands (report 002, point 7)', () => {
    const turn = turnAt(200, {}, { identity: { managedBy: 'manager' } });
    expect(eventsOf(judge(turn, aContext())[1])).toMatchObject([{ type: 'turn.stale', tellsParent: false }]);
  });
});

describe('suspicion', () => {
  const suspected = (over: Partial<Turn> = {}): Turn =>
    turnAt(95, {}, { verdict: { state: 'suspect', sinceMs: 1 }, suspectMs: 1, suspectTold: true, ...over });

  test('it stays without a second word', () => {
    const turn = suspected();
    expect(judge(turn, aContext())).toEqual([turn, []]);
  });

  test.each<[string, Partial<Turn>]>([
    ['activity', { report: aReport({ lastA: s(94) }) }],
    ['counted evidence', { countedA: s(94) }],
    ['a phase that silence does not judge', { report: aReport({ phase: 'waiting' }) }],
  ])('%s clears it', (_, over) => {
    const [turn, effects] = judge(suspected(over), aContext());
    expect(turn.verdict).toEqual({ state: 'running' });
    expect(turn).not.toHaveProperty('suspectMs');
    expect(effects).toEqual([]);
  });

  test('a second suspicion of the same episode is not told again', () => {
    const [turn, effects] = judge(turnAt(95, {}, { suspectTold: true }), aContext({ t: 9 }));
    expect(turn.verdict).toEqual({ state: 'suspect', sinceMs: wallZeroMs + s(9) });
    expect(effects).toEqual([]);
  });
});

describe('each reason, at its instant', () => {
  test.each(reasons)('%s', (reason) => {
    const { turn, surroundings } = stalls[reason];
    const [after, effects] = judge(turn, aContext(surroundings));
    expect(after.verdict).toMatchObject({ state: 'stale', reason });
    expect(eventsOf(effects)).toMatchObject([{ type: 'turn.stale', stale: { reason } }]);
  });

  test.each<[string, Turn, Parameters<typeof aContext>[0]]>([
    ['tool_silence, just before', { ...stalls.tool_silence.turn, w: s(1800) - 1 }, {}],
    ['lost_completion, just before', { ...stalls.lost_completion.turn, w: s(250) - 1 }, {}],
    ['no_content, just before', { ...stalls.no_content.turn, barrenMs: s(3600) - 1 }, {}],
    ['process_blocked, just before', turnAt(1), { process: { loopAgeMs: s(600) - 1 } }],
    ['provider_error, just before', { ...stalls.provider_error.turn, w: s(10) - 1 }, {}],
    ['a retryable error', turnAt(10, { error: { type: 'x', retryable: true, atA: s(1) } }), {}],
    ['an error that has been judged', { ...stalls.provider_error.turn, judgedErrorA: s(8) }, {}],
  ])('%s: nothing', (_, turn, surroundings) => {
    expect(judge(turn, aContext(surroundings))).toEqual([turn, []]);
  });
});

describe('a fatal provider error and a wait', () => {
  const error = { type: 'overloaded', retryable: false, atA: s(8) } as const;
  const asked = { phase: 'waiting', waiting: { for: 'input', sinceA: s(9) }, error } as const;
  const verdict = (wS: number, report: Partial<TurnReport>): Turn['verdict'] =>
    judge(turnAt(wS, report), aContext())[0].verdict;

  test('whoever asks a person what to do about it is not stuck', () => {
    expect(verdict(9999, asked)).toEqual({ state: 'running' });
  });

  test.each<[string, Partial<TurnReport>]>([
    ['a wait that has ended', { phase: 'agent', phaseA: s(300), lastA: s(300), error }],
    ['a request that has failed', { phase: 'agent', phaseA: s(300), lastA: s(300), failedA: s(300), error }],
  ])('%s gives the agent the same 2 s again', (_, report) => {
    expect(verdict(301.999, report)).toEqual({ state: 'running' });
    expect(verdict(302, report)).toMatchObject({ state: 'stale', reason: 'provider_error' });
  });

  test('a wait for one call stops the grace of that call, and not the error', () => {
    const besides = {
      waiting: { for: 'approval', sinceA: s(9), call: 'c1' },
      calls: [aCall()],
      error,
    } as const;
    expect(verdict(10, besides)).toMatchObject({ state: 'stale', reason: 'provider_error' });
  });
});

describe('a blocked main loop stops all clocks but those of its own rules', () => {
  const blocked = aContext({ process: { loopAgeMs: s(5) + 1 } });

  test.each([
    'silence',
    'engine_only',
    'tool_silence',
    'lost_completion',
    'no_content',
    'provider_error',
  ] as const)('%s waits for it', (reason) => {
    const { turn } = stalls[reason];
    expect(judge(turn, blocked)).toEqual([turn, []]);
  });

  test('a loop of 5 s is not blocked yet', () => {
    expect(judge(stalls.silence.turn, aContext({ process: { loopAgeMs: s(5) } }))[0].verdict.state).toBe(
      'stale',
    );
  });

  test('the horizon does not wait', () => {
    expect(judge(turnAt(1, {}, { deadlineMs: bootZeroMs }), blocked)[0].verdict.state).toBe('expired');
  });
});

describe('which calls are named (report 001)', () => {
  test('tool_silence waits for the links of calls that were found old; lost_completion does not', () => {
    const found = (wS: number): Turn => ({ ...stalls.tool_silence.turn, w: s(wS), linksDueA: s(2011) });
    expect(judge(found(2010.999), aContext())[0].verdict.state).toBe('running');
    expect(judge(found(2011), aContext())[0].verdict).toMatchObject({ reason: 'tool_silence' });
    const lost: Turn = { ...stalls.lost_completion.turn, linksDueA: s(2011) };
    expect(judge(lost, aContext())[0].verdict).toMatchObject({ reason: 'lost_completion' });
  });

  test('tool_silence names the expired ones and those within 5 s of it, beside all that are pending', () => {
    const calls = [aCall(), aCall({ id: 'c2', quietSinceA: s(4) }), aCall({ id: 'c3', quietSinceA: s(900) })];
    const turn = turnAt(1800, { phase: 'tool', requests: [], calls });
    const [after, effects] = judge(turn, aContext());
    expect(after.verdict).toMatchObject({ expiredCalls: ['c1', 'c2'], key: null });
    const [event] = eventsOf(effects);
    expect(
      event?.type === 'turn.stale' && event.stale.pendingCalls.map((call) => [call.id, call.expired]),
    ).toEqual([
      ['c1', true],
      ['c2', true],
      ['c3', false],
    ]);
  });

  test('lost_completion names the call whose child has ended', () => {
    expect(judge(stalls.lost_completion.turn, aContext())[0].verdict).toMatchObject({
      expiredCalls: ['c1'],
      details: { pendingCalls: [{ id: 'c1', expired: true }] },
    });
  });

  test('a lost wait for a child names no call', () => {
    const turn = turnAt(
      160,
      { phase: 'waiting', requests: [], waiting: { for: 'child', sinceA: 0 } },
      { children: { flagged: {}, ended: {}, lastEnd: s(10) } },
    );
    expect(judge(turn, aContext())[0].verdict).toMatchObject({
      reason: 'lost_completion',
      expiredCalls: ['*'],
      details: { pendingCalls: [] },
    });
  });

  test('a request beside open calls is judged by its own phase, and the calls by theirs', () => {
    const turn = turnAt(1800, { lastA: s(1799), calls: [aCall()] });
    expect(judge(turn, aContext())[0].verdict).toMatchObject({ reason: 'tool_silence', key: 'text' });
    const silent = turnAt(200, { calls: [aCall({ quietSinceA: s(199) })] });
    expect(judge(silent, aContext())[0].verdict).toMatchObject({ reason: 'silence', expiredCalls: [] });
  });
});

describe('the horizon is unconditional and once (report 004)', () => {
  const due = (over: Partial<Turn> = {}): Turn => turnAt(5, {}, { deadlineMs: bootZeroMs + s(60), ...over });

  test.each<[string, Partial<Turn>, string]>([
    ['running', {}, 'running'],
    ['suspect', { verdict: { state: 'suspect', sinceMs: 1 } }, 'suspect'],
    ['stale', { verdict: judge(stalls.silence.turn, aContext())[0].verdict }, 'stale'],
    [
      'waiting',
      { report: aReport({ phase: 'waiting', waiting: { for: 'approval', sinceA: 0 } }) },
      'running',
    ],
    ['executing', { report: aReport({ calls: [aCall()] }) }, 'running'],
  ])('a turn that is %s', (_, over, stateBefore) => {
    expect(judge(due(over), aContext({ t: 59.999 }))[0].verdict.state).not.toBe('expired');
    const [turn, effects] = judge(due(over), aContext({ t: 60.4 }));
    expect(turn.verdict).toMatchObject({ state: 'expired', atMs: wallZeroMs + s(60.4) });
    expect(eventsOf(effects)).toMatchObject([
      {
        type: 'turn.expired',
        expired: {
          expiresAtMs: wallZeroMs + s(60),
          settledAtMs: wallZeroMs + s(60.4),
          stateBefore,
          byDefault: false,
          episode: 1,
        },
      },
    ]);
    expect(effects).toContainEqual({ kind: 'keep', turn: 'T' });
    expect(judge(turn, aContext({ t: 61 }))).toEqual([turn, []]);
  });

  test('it is judged before everything else', () => {
    const [turn, effects] = judge(due(), aContext({ t: 61, process: { exited: true } }));
    expect(turn.verdict.state).toBe('expired');
    expect(eventsOf(effects)).toHaveLength(1);
  });

  test('it names what was pending, closes it, and its gaps teach nothing', () => {
    const lessons = { ...noLessons, gaps: { text: s(30) } };
    const [turn, effects] = judge(
      due({ lessons, report: aReport({ calls: [aCall()] }) }),
      aContext({ t: 60 }),
    );
    expect(turn.report).toMatchObject({ requests: [], calls: [] });
    expect(effects).toContainEqual({ kind: 'censor', key: 'acme|m1|text', gapMs: s(30) });
    expect(eventsOf(effects)).toMatchObject([{ expired: { pendingCalls: [{ id: 'c1' }] } }]);
  });

  describe('the silence that it cut off is censored too', () => {
    const noted = (turn: Turn) =>
      judge(turn, aContext({ t: 60 }))[1].filter((effect) => effect.kind === 'censor');
    const text = 'acme|m1|text';

    test.each<[string, Turn, ReturnType<typeof noted>]>([
      ['as it was judged', due(), [{ kind: 'censor', key: text, gapMs: s(5) }]],
      [
        'where it is the longest of its key',
        due({ lessons: { ...noLessons, hung: { text: s(7), agent: s(2) } } }),
        [
          { kind: 'censor', key: text, gapMs: s(7) },
          { kind: 'censor', key: 'acme|m1|agent', gapMs: s(2) },
        ],
      ],
      ['a wait is none', due({ report: aReport({ phase: 'waiting', requests: [] }) }), []],
      ['a handover teaches nothing', due({ report: aReport({ phase: 'agent', handover: true }) }), []],
    ])('%s', (_, turn, censored) => {
      expect(noted(turn)).toEqual(censored);
    });
  });

  test('a horizon of a request is told once; phase and clock go on', () => {
    const turn = turnAt(
      5,
      { requests: [aRequest({ contentA: 0 }), aRequest({ id: 'r2' })] },
      {
        requestDeadlines: { r1: bootZeroMs + s(30), r2: bootZeroMs + s(31), r3: bootZeroMs + s(90) },
      },
    );
    expect(judge(turn, aContext({ t: 29.999 }))).toEqual([turn, []]);
    const [after, effects] = judge(turn, aContext({ t: 31.5 }));
    expect(eventsOf(effects)).toMatchObject([
      { type: 'request.expired', request: 'r1', expiresAtMs: wallZeroMs + s(30), phase: 'text' },
      { type: 'request.expired', request: 'r2', expiresAtMs: wallZeroMs + s(31) },
    ]);
    expect(after.report).toBe(turn.report);
    expect(after.verdict.state).toBe('running');
    expect(judge(after, aContext({ t: 40 }))).toEqual([after, []]);
  });
});

describe('a stale turn', () => {
  test('stays so while its cause stands, whatever else is wrong', () => {
    const [stale] = judge(stalls.silence.turn, aContext());
    expect(judge({ ...stale, w: s(9000) }, aContext({ process: { exited: true } }))).toEqual([
      { ...stale, w: s(9000) },
      [],
    ]);
  });

  test('an error in it belongs to the episode that has been told', () => {
    const [stale] = judge(stalls.silence.turn, aContext());
    const failing: Turn = {
      ...stale,
      w: s(120),
      report: { ...stale.report, error: { type: 'overloaded', retryable: false, atA: s(118) } },
    };
    const [judged, effects] = judge(failing, aContext());
    expect(judged).toEqual({ ...failing, judgedErrorA: s(118) });
    expect(effects).toEqual([]);
    const goesOn: Turn = { ...judged, w: s(122), report: { ...judged.report, lastA: s(121) } };
    expect(judge(goesOn, aContext())[0].verdict.state).toBe('running');
    // One that is newer than that episode is a stall of its own.
    const fails: Turn = {
      ...judge(goesOn, aContext())[0],
      w: s(130),
      report: { ...goesOn.report, error: { type: 'overloaded', retryable: false, atA: s(128) } },
    };
    expect(judge(fails, aContext())[0]).toMatchObject({
      episode: 2,
      verdict: { state: 'stale', reason: 'provider_error' },
    });
  });

  test('a retryable error in it confirms a silence, as a failed request does', () => {
    const [stale] = judge(stalls.silence.turn, aContext());
    const retries = coarseReport(stale.report, { name: 'provider_error', retryable: true }, s(118));
    const [turn, effects] = judge({ ...stale, w: s(119), report: retries }, aContext());
    expect(turn).toMatchObject({ episode: 2, verdict: { state: 'running' } });
    expect(eventsOf(effects)).toEqual([]);
    expect(effects).toContainEqual({ kind: 'count', what: 'confirmed' });
  });

  test('a later stall is the next episode, with an event of its own (report 002)', () => {
    const [stale] = judge(stalls.silence.turn, aContext());
    const moved: Turn = {
      ...stale,
      w: s(114),
      report: { ...stale.report, lastA: s(113) },
      suspectTold: true,
      suspectMs: 4,
    };
    const [recovered, told] = judge(moved, aContext());
    expect(recovered).toMatchObject({ episode: 2, suspectTold: false, verdict: { state: 'running' } });
    expect(recovered).not.toHaveProperty('suspectMs');
    expect(eventsOf(told)).toMatchObject([
      { type: 'turn.recovered', recovered: { episode: 1, by: 'chunk' } },
    ]);
    const [again, effects] = judge({ ...recovered, w: s(113 + 112.5) }, aContext());
    expect(again.verdict.state).toBe('stale');
    expect(eventsOf(effects)).toMatchObject([{ type: 'turn.stale', stale: { episode: 2 } }]);
  });
});

test.each([
  { state: 'ended', outcome: 'completed', atMs: 1 },
  { state: 'expired', atMs: 1, details: {} },
] as const)('a settled turn is judged no more: $state', (verdict) => {
  const turn = turnAt(9999, {}, { verdict: verdict as Turn['verdict'], deadlineMs: 0 });
  expect(judge(turn, aContext({ t: 99, process: { exited: true } }))).toEqual([turn, []]);
});
