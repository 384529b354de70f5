import { expect, test } from 'vitest';
import type { Flag, Sight } from './client.ts';
import { judgeQuiet, judgeStopped } from './judge.ts';
import type { Told, TurnState } from './stage.ts';
import { windowOf } from './window.ts';

// The judge of the real clients, judged: it must find what it is there to find.

const signs = { of: () => [1000, 2000] };
const flag: Flag = { phase: 'text', since: 'chunk' };
const sight: Sight = {
  ...{ heldBackMs: 0, seesComments: true, end: 'completed', stall: flag, error: flag },
  ...{ death: flag, deathInTool: flag },
};
const coarse: Sight = { ...sight, heldBackMs: 1000 };
const completed: TurnState = {
  ...{ attempt: 1, model: 'm', conversationId: null, state: 'ended', outcome: 'completed' },
};
const stale: TurnState = { ...completed, state: 'stale', outcome: null };

function toldAt(atMs: number, more: Partial<NonNullable<Told['stale']>> = {}): Told {
  return {
    ...{ atMs, type: 'turn.stale', turn: 't', model: 'm', conversationId: null },
    stale: { reason: 'silence', phase: 'text', thresholdMs: 6000, precision: 'proven', ...more },
  };
}

function stopped(told: readonly Told[], turns = [stale], of = flag, by = sight): readonly string[] {
  return judgeStopped(of, by, told, turns, windowOf(of, by, signs, 'm', told[0])).faults;
}

test('a verdict in its window is right, once', () => {
  expect(stopped([toldAt(2000 + 7500)])).toEqual([]);
  expect(stopped([toldAt(2000 + 10_500)])).toEqual([]);
  expect(stopped([])).toEqual(['turn.stale was told 0 times, not once']);
  expect(stopped([toldAt(9500), toldAt(9600)])).toEqual(['turn.stale was told 2 times, not once']);
});

test.each([
  [toldAt(2000 + 7399), 'it was told too early, after 7.4 s'],
  [toldAt(2000 + 10_501), 'it was told too late, after 10.5 s'],
  [toldAt(9500, { reason: 'no_content' }), 'the reason is no_content, not silence'],
  [toldAt(9500, { phase: 'agent' }), 'the phase is agent, not text'],
  [toldAt(9500, { precision: 'coarse' }), 'the precision is coarse, not proven'],
  [toldAt(9500, { thresholdMs: 5000 }), 'the threshold is 5.0 s, not 6.0 s to 6.0 s'],
])('a fault of it is found', (told, fault) => {
  expect(stopped([told])).toEqual([fault]);
});

test('without heartbeats the threshold grows by the lag, within bounds', () => {
  const at = (ms: number, thresholdMs: number): readonly string[] =>
    stopped([toldAt(2000 + ms, { precision: 'coarse', thresholdMs })], [stale], flag, coarse);
  expect(at(7500, 7000)).toEqual([]);
  expect(at(15_750, 7000)).toEqual([]);
  expect(at(15_751, 7000)).toHaveLength(1);
  expect(at(19_500, 10_000)).toEqual([]);
  expect(at(12_000, 60_000)).toEqual(['the threshold is 60.0 s, not 7.0 s to 10.0 s']);
});

test('where the last record may be lost, it may be counted from the one before', () => {
  const lossy = { ...flag, lastMayBeLost: true };
  expect(stopped([toldAt(1000 + 7500)], [stale], lossy)).toEqual([]);
  expect(stopped([toldAt(1000 + 7500)])).toHaveLength(1);
});

test('a call is judged by its grace, without a window to confirm', () => {
  const call: Flag = { phase: 'tool', since: 'chunk' };
  const told = (ms: number): Told =>
    toldAt(2000 + ms, { reason: 'tool_silence', phase: 'tool', thresholdMs: 1 });
  expect(stopped([told(18_000)], [stale], call)).toEqual([]);
  expect(stopped([told(21_001)], [stale], call)).toHaveLength(1);
});

test('what is well is never flagged, ends well, and is one turn in one attempt', () => {
  const suspect: Told = { ...toldAt(9000), type: 'turn.suspect' };
  expect(judgeQuiet('completed', [suspect], [completed]).faults).toEqual([]);
  expect(judgeQuiet('completed', [toldAt(9000)], [completed]).faults).toEqual([
    'told: stale (silence, text)',
  ]);
  expect(judgeQuiet('completed', [], [stale]).faults).toEqual(['the turn is stale, not completed']);
  expect(judgeQuiet('completed', [], []).faults).toEqual(['the detector knows 0 turns of it, not 1']);
  expect(judgeQuiet('completed', [], [{ ...completed, attempt: 2 }]).faults).toEqual([
    'the turn is in its attempt 2, not its first',
  ]);
});

test('a turn that can only be idle, or not be seen at all', () => {
  const running: TurnState = { ...completed, state: 'running', outcome: null };
  expect(judgeQuiet('idle', [], [running]).faults).toEqual([]);
  expect(judgeQuiet('idle', [], [completed]).faults).toHaveLength(1);
  expect(judgeQuiet('unseen', [], []).faults).toEqual([]);
  expect(judgeQuiet('unseen', [], [completed]).faults).toContain('the detector knows 1 turns of it, not 0');
});

test('of several turns each has its own end', () => {
  const cancelled: TurnState = { ...completed, outcome: 'cancelled' };
  const ends = ['cancelled', 'completed'] as const;
  expect(judgeQuiet(ends, [], [cancelled, completed]).faults).toEqual([]);
  expect(judgeQuiet(ends, [], [completed, completed]).faults).toEqual([
    'the turn is completed, not cancelled',
  ]);
  const stopped = ['stopped', 'completed'] as const;
  expect(judgeQuiet(stopped, [], [cancelled, completed]).faults).toEqual([]);
  expect(judgeQuiet(stopped, [], [completed, completed]).faults).toHaveLength(1);
  expect(judgeQuiet(ends, [], [cancelled]).faults).toEqual(['the detector knows 1 turns of it, not 2']);
});

test('where each request is a turn, the last one ends as the whole', () => {
  const failed: TurnState = { ...completed, outcome: 'failed' };
  const each = { turnPerRequest: true };
  expect(judgeQuiet('completed', [], [failed, completed], each).faults).toEqual([]);
  expect(judgeQuiet('completed', [], [completed, failed], each).faults).toHaveLength(1);
  expect(judgeQuiet('completed', [toldAt(9000)], [completed], each).faults).toHaveLength(1);
});

test('a process that is away is found by its heartbeats, without a window to confirm', () => {
  const gone: Flag = { phase: 'text', since: 'signal', reason: 'process_unreachable' };
  const told = (ms: number): Told => toldAt(2000 + ms, { reason: 'process_unreachable' });
  expect(stopped([told(15_100)], [stale], gone)).toEqual([]);
  expect(stopped([told(12_999)], [stale], gone)).toHaveLength(1);
  expect(stopped([told(18_001)], [stale], gone)).toHaveLength(1);
});
