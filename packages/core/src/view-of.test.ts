import { describe, expect, test } from 'vitest';
import {
  aCall,
  aContext,
  aReport,
  aRequest,
  aTurn,
  bootZeroMs,
  s,
  toolTurn,
  wallZeroMs,
} from '../fixtures/given.ts';
import { stalls } from '../fixtures/stalls.ts';
import { judge } from './judge.ts';
import { endTurn } from './settle.ts';
import { viewOf } from './view-of.ts';

const view = (...args: readonly [Parameters<typeof viewOf>[0], Parameters<typeof aContext>[0]?]) =>
  viewOf(args[0], aContext(args[1]));

test('a running turn, with the numbers that it would be judged by', () => {
  const turn = aTurn({
    w: s(40),
    deadlineMs: bootZeroMs + s(100),
    report: aReport({
      promptRead: { read: 5, total: 9 },
      calls: [aCall({ quietSinceA: s(30) })],
      chunks: 12,
    }),
  });
  expect(view(turn, { t: 60 })).toEqual({
    id: 'T',
    attempt: 1,
    incarnation: 1,
    identity: { provider: 'acme', model: 'm1' },
    process: 'p1',
    path: 'direct',
    state: 'running',
    reason: null,
    outcome: null,
    episode: 1,
    phase: 'text',
    waiting: null,
    silenceMs: s(40),
    thresholdMs: s(90),
    thresholdSource: 'default',
    confirmMs: s(22.5),
    lagMs: 0,
    heardAgoMs: s(60),
    lastActivityAtMs: wallZeroMs,
    lastActivityKind: 'chunk',
    startedAtMs: wallZeroMs,
    staleSinceMs: null,
    verdict: null,
    suspectSinceMs: null,
    settledAtMs: null,
    expiresAtMs: wallZeroMs + s(100),
    expiresByDefault: false,
    precision: 'proven',
    calls: [{ id: 'c1', ageMs: s(40), quietMs: s(10), graceMs: s(1800), updates: 0, expired: false }],
    expiredCalls: [],
    openRequests: ['r1'],
    promptRead: { read: 5, total: 9 },
    chunks: 12,
    acknowledged: null,
    muted: null,
    closed: null,
    ownThresholdsMs: {},
  });
});

describe('each state shows its own fields', () => {
  test('suspect', () => {
    const [turn] = judge(aTurn({ w: s(95) }), aContext({ t: 95 }));
    expect(view(turn)).toMatchObject({ state: 'suspect', suspectSinceMs: wallZeroMs + s(95) });
  });

  test('stale, with its suspicion and its calls', () => {
    const [turn] = judge({ ...stalls.tool_silence.turn, suspectMs: 5 }, aContext({ t: 9 }));
    expect(view(turn)).toMatchObject({
      state: 'stale',
      reason: 'tool_silence',
      staleSinceMs: wallZeroMs + s(9),
      suspectSinceMs: 5,
      expiredCalls: ['c1'],
    });
  });

  test('stale, with the threshold of its verdict, whatever its key has backed off to since', () => {
    const [turn] = judge(aTurn({ w: s(200) }), aContext({ t: 200 }));
    const [again] = judge(turn, aContext({ t: 201 }));
    const later = { t: 300, policy: { defaultThresholdMs: { text: s(500) } } };
    expect(view(aTurn(), later).thresholdMs).toBe(s(500));
    expect(view(again, later)).toMatchObject({
      state: 'stale',
      thresholdMs: s(90),
      confirmMs: s(22.5),
      thresholdSource: 'default',
    });
  });

  test('stale, with the lag that was in the threshold of its verdict, though it is forgotten since', () => {
    const turn = aTurn({ coarse: true, w: s(200) });
    expect(view(turn, { t: 1, lagMs: s(10) })).toMatchObject({ thresholdMs: s(100), lagMs: s(10) });
    const [suspect] = judge(turn, aContext({ t: 200, lagMs: s(10) }));
    const [stale] = judge(suspect, aContext({ t: 201, lagMs: s(10) }));
    expect(view(stale, { t: 300 })).toMatchObject({ state: 'stale', thresholdMs: s(100), lagMs: s(10) });
  });

  test('a wait for a child that is over is no call, and is not shown as one', () => {
    const waits = toolTurn([aCall({ id: 'c2' })], {
      w: s(250),
      children: { flagged: {}, ended: {}, lastEnd: s(100) },
    });
    const report = { ...waits.report, phase: 'waiting', waiting: { for: 'child', sinceA: s(1) } } as const;
    const [turn] = judge({ ...waits, report }, aContext({ t: 250 }));
    expect(turn.verdict).toMatchObject({ reason: 'lost_completion', expiredCalls: ['*'] });
    expect(view(turn)).toMatchObject({ state: 'stale', reason: 'lost_completion', expiredCalls: [] });
  });

  test('expired', () => {
    const [turn] = judge(aTurn({ deadlineMs: bootZeroMs }), aContext({ t: 9 }));
    expect(view(turn)).toMatchObject({ state: 'expired', settledAtMs: wallZeroMs + s(9), expiresAtMs: null });
  });

  test('ended', () => {
    const turn = aTurn({ coarse: true, verdict: { state: 'ended', outcome: 'failed', atMs: 77 } });
    expect(view(turn)).toMatchObject({
      state: 'ended',
      outcome: 'failed',
      settledAtMs: 77,
      precision: 'coarse',
      heardAgoMs: 0,
    });
  });
});

describe('a turn that waits stays visible with its age (RULES 2)', () => {
  const waits = (call?: string) =>
    aTurn({
      w: s(50),
      lastActivityMs: wallZeroMs + s(30),
      report: aReport({
        phase: 'waiting',
        requests: [],
        waiting: { for: 'approval', sinceA: s(20), ...(call === undefined ? {} : { call }) },
      }),
    });

  test('since when, for what, and the threshold of the agent that would hold after it', () => {
    expect(view(waits(), { t: 80 })).toMatchObject({
      phase: 'waiting',
      waiting: { for: 'approval', sinceMs: wallZeroMs + s(50) },
      silenceMs: s(50),
      thresholdMs: s(600),
      confirmMs: s(150),
      thresholdSource: 'default',
      promptRead: null,
    });
    expect(view(waits('c1'), { t: 80 }).waiting).toEqual({
      for: 'approval',
      call: 'c1',
      sinceMs: wallZeroMs + s(50),
    });
  });

  test('since when does not move with the clock while nothing is heard, and is never ahead of it', () => {
    expect(view(waits(), { t: 9000 }).waiting?.sinceMs).toBe(wallZeroMs + s(50));
    expect(view(waits(), { t: 40 }).waiting?.sinceMs).toBe(wallZeroMs + s(40));
  });

  test('one that was closed while it waited stands still: since when, and no horizon that was held', () => {
    const held = { ...waits(), deadlineMs: Number.POSITIVE_INFINITY, byDefault: true, heldMs: s(60) };
    const [closed] = endTurn(held, 'closed', aContext({ t: 80 }));
    for (const t of [80, 500])
      expect(view(closed, { t })).toMatchObject({
        state: 'ended',
        waiting: { sinceMs: wallZeroMs + s(50) },
        expiresAtMs: null,
      });
  });

  test('a default horizon that is held is as far away as it will be', () => {
    const held = { ...waits(), deadlineMs: Number.POSITIVE_INFINITY, byDefault: true, heldMs: s(60) };
    expect(view(held, { t: 500 })).toMatchObject({
      expiresAtMs: wallZeroMs + s(560),
      expiresByDefault: true,
    });
  });
});

test('open calls show the age of the silence too, never negative', () => {
  expect(view(toolTurn([aCall()], { w: s(70) }))).toMatchObject({
    phase: 'tool',
    silenceMs: s(70),
    thresholdMs: s(600),
  });
  expect(view(toolTurn([], { w: -5 })).silenceMs).toBe(0);
});

test('a request that the engine has not begun is shown as queued', () => {
  const turn = aTurn({
    report: aReport({ phase: 'first_token', requests: [aRequest()] }),
    engine: { request: 'r1', queued: true, queuedA: 0 },
  });
  expect(view(turn).phase).toBe('queued');
});
