import type { PendingCall, StaleDetails, TurnEvent } from '@turnwatch/core';
import { expect, test } from 'vitest';
import { dueAtMs } from './due.ts';

const policy = { unreachableMs: { server: 6000, portable: 6000 } };
const base = { turn: 't', attempt: 1, identity: {}, tellsParent: true, recipient: 'planner' } as const;

function stale(atMs: number, more: Partial<StaleDetails>): TurnEvent {
  return {
    ...base,
    type: 'turn.stale',
    atMs,
    stale: {
      reason: 'silence',
      phase: 'text',
      episode: 1,
      lastActivityAtMs: 0,
      lastActivityKind: 'text',
      staleSinceMs: atMs,
      silenceMs: 0,
      thresholdMs: 3000,
      thresholdSource: 'default',
      confirmMs: 750,
      largestHealthyGapMs: null,
      samples: 0,
      falseFlagEstimate: null,
      precision: 'proven',
      pendingCalls: [],
      ...more,
    },
  };
}

function call(id: string, quietMs: number, expired: boolean): PendingCall {
  return { id, ageMs: quietMs, quietMs, graceMs: 6000, updates: 0, expired };
}

test('silence is due a threshold and a confirm window after the last activity', () => {
  expect(dueAtMs(stale(20_400, { lastActivityAtMs: 16_000, silenceMs: 4200 }), policy)).toBe(19_750);
});

test('a tool call is due when the first of the expired calls passes its grace', () => {
  const pendingCalls = [call('late', 6400, true), call('near', 5500, true), call('works', 100, false)];
  expect(dueAtMs(stale(10_000, { reason: 'tool_silence', pendingCalls }), policy)).toBe(9600);
});

test('a tool verdict that names no expired call has no due time, so that it cannot pass for punctual', () => {
  expect(
    dueAtMs(stale(10_000, { reason: 'tool_silence', pendingCalls: [call('a', 9000, false)] }), policy),
  ).toBeUndefined();
});

test('a lost process is due so long after its newest heartbeat, however quiet the turn was by then', () => {
  expect(
    dueAtMs(stale(9700, { reason: 'process_unreachable', lastActivityAtMs: 3000, silenceMs: 400 }), policy),
  ).toBe(9400);
});

test('an expiry is due at the horizon', () => {
  const expired = {
    expiresAtMs: 18_000,
    settledAtMs: 18_200,
    stateBefore: 'running',
    byDefault: false,
    phase: 'text',
    episode: 1,
    lastActivityAtMs: 0,
    lastActivityKind: 'text',
    pendingCalls: [],
  } as const;
  expect(dueAtMs({ ...base, type: 'turn.expired', atMs: 18_200, expired }, policy)).toBe(18_000);
});

test('other reasons and events have no due time', () => {
  expect(dueAtMs(stale(1000, { reason: 'process_exited' }), policy)).toBeUndefined();
  const event: TurnEvent = {
    ...base,
    type: 'request.expired',
    atMs: 1,
    request: 'r',
    expiresAtMs: 1,
    phase: 'text',
  };
  expect(dueAtMs(event, policy)).toBeUndefined();
});
