import type { StaleReason, TurnEvent } from '@turnwatch/core';
import { beforeEach, expect, test } from 'vitest';
import { Ledger } from './ledger.ts';
import type { NoteName, Told } from './message.ts';
import { demoPolicy, story, type TurnName } from './story.ts';

let ledger: Ledger;
beforeEach(() => {
  ledger = new Ledger();
});

const dueMs = 10_000;

function stale(turn: string, reason: StaleReason, lateMs: number): TurnEvent {
  const call = { id: 'c', ageMs: 0, quietMs: 6000 + lateMs, graceMs: 6000, updates: 0, expired: true };
  const silenceMs = 100;
  return {
    ...base(turn, dueMs + lateMs),
    type: 'turn.stale',
    stale: {
      reason,
      phase: 'text',
      episode: 1,
      lastActivityAtMs:
        reason === 'process_unreachable' ? dueMs - silenceMs - demoPolicy.unreachableMs.server : dueMs - 3750,
      lastActivityKind: 'text',
      staleSinceMs: dueMs + lateMs,
      silenceMs,
      thresholdMs: 3000,
      thresholdSource: 'default',
      confirmMs: 750,
      largestHealthyGapMs: null,
      samples: 0,
      falseFlagEstimate: null,
      precision: 'proven',
      pendingCalls: reason === 'tool_silence' ? [call] : [],
    },
  };
}

function expired(turn: string, lateMs: number): TurnEvent {
  return {
    ...base(turn, dueMs + lateMs),
    type: 'turn.expired',
    expired: {
      expiresAtMs: dueMs,
      settledAtMs: dueMs + lateMs,
      stateBefore: 'running',
      byDefault: false,
      phase: 'text',
      episode: 1,
      lastActivityAtMs: 0,
      lastActivityKind: 'text',
      pendingCalls: [],
    },
  };
}

function base(turn: string, atMs: number) {
  return { turn, attempt: 1, identity: {}, atMs, tellsParent: true, recipient: 'planner' } as const;
}

function told(turn: string, type: string, reason?: string): Told {
  return {
    kind: 'told',
    id: `evt_${turn}`,
    type,
    turn,
    atMs: dueMs + 500,
    ...(reason === undefined ? {} : { reason }),
  };
}

function note(turn: TurnName, name: NoteName): void {
  ledger.note({ kind: 'note', turn, note: name, atMs: 0 });
}

/** The story as it should go, but for the turns that are left out. */
function playAll({ lateMs = 400, but = [] }: { lateMs?: number; but?: readonly TurnName[] } = {}): void {
  for (const { name, expected } of story) {
    if (but.includes(name)) continue;
    if (expected === null) note(name, 'ended');
    else if (expected.type === 'turn.expired') {
      ledger.verdict(expired(name, lateMs));
      ledger.told(told(name, 'turn.expired'));
      note(name, 'signal_aborted');
      note(name, 'rejected');
    } else {
      ledger.verdict(stale(name, expected.reason, lateMs));
      ledger.told(told(name, 'turn.stale', expected.reason));
    }
  }
}

test('the story as it is told has no fault', () => {
  expect(ledger.complete).toBe(false);
  playAll();
  expect(ledger.faults()).toEqual([]);
  expect(ledger.complete).toBe(true);
  expect(ledger.rows().map(({ turn, latenessMs, toldTimes }) => [turn, latenessMs, toldTimes])).toEqual([
    ['long-read', undefined, 0],
    ['stream-stops', 400, 1],
    ['lost-tool', 400, 1],
    ['wedged', 400, 1],
    ['killed', 400, 1],
  ]);
});

test('a verdict may come a second late and not later', () => {
  playAll({ lateMs: 1000 });
  expect(ledger.faults()).toEqual([]);
  ledger = new Ledger();
  playAll({ lateMs: 1001 });
  expect(ledger.faults()).toHaveLength(4);
  expect(ledger.faults()[0]).toBe('stream-stops: the verdict came 1001 ms after it was due, 1000 at most');
});

test('on a machine whose timers run late a verdict may come as much later', () => {
  playAll({ lateMs: 1300 });
  ledger.timerLagMs = 300;
  expect(ledger.faults()).toEqual([]);
  ledger.timerLagMs = 299;
  expect(ledger.faults()).toHaveLength(4);
});

test('a verdict must not come before it is due', () => {
  playAll({ lateMs: -200 });
  expect(ledger.faults()).toContain('stream-stops: the verdict came 200 ms before it was due');
});

test('a healthy turn that is flagged is a fault, told or not', () => {
  playAll();
  ledger.verdict(stale('long-read', 'silence', 0));
  expect(ledger.faults()).toEqual(['long-read: the detector said turn.stale silence, expected nothing']);
});

test('a parent that is told twice, or of something else, is a fault', () => {
  playAll();
  ledger.told(told('killed', 'turn.stale', 'process_unreachable'));
  expect(ledger.faults()).toEqual([
    'killed: the parent was told turn.stale process_unreachable, turn.stale process_unreachable, expected turn.stale process_unreachable, once',
  ]);
});

test('a stall that recovers is a fault: the story has none', () => {
  playAll();
  ledger.told(told('stream-stops', 'turn.recovered', 'silence'));
  expect(ledger.faults()).toHaveLength(1);
});

test('a verdict that nobody was told, and a turn without one, are faults', () => {
  playAll({ but: ['lost-tool', 'killed'] });
  ledger.verdict(stale('lost-tool', 'tool_silence', 10));
  expect(ledger.complete).toBe(false);
  expect(ledger.faults()).toEqual([
    'lost-tool: the parent was told nothing, expected turn.stale tool_silence, once',
    'killed: the detector said nothing, expected turn.stale process_unreachable, once',
    'killed: the parent was told nothing, expected turn.stale process_unreachable, once',
  ]);
});

test('an expiry without the abort inside the worker is half of one', () => {
  playAll({ but: ['wedged'] });
  ledger.verdict(expired('wedged', 10));
  ledger.told(told('wedged', 'turn.expired'));
  note('wedged', 'rejected');
  expect(ledger.complete).toBe(false);
  expect(ledger.faults()).toEqual(['wedged: its AbortSignal did not fire in the worker']);
});

test('an event about a turn that is not in the story is a fault', () => {
  playAll();
  ledger.verdict(stale('stranger', 'silence', 0));
  expect(ledger.faults()).toEqual(['turn.stale about stranger, a turn that is not in the story']);
});
