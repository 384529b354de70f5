import { expect, test } from 'vitest';
import type { Flag, Sight } from './client.ts';
import { judgeHealthy, judgeStopped } from './judge.ts';
import type { Told, TurnState } from './stage.ts';
import { windowOf } from './window.ts';

// The judge of the real clients, judged: it must find what it is there to find.

const signs = { of: () => [1000, 2000] };
const flag: Flag = { phase: 'text', since: 'chunk' };
const sight: Sight = {
  ...{ heldBackMs: 0, seesComments: true, end: 'completed', stall: flag, error: flag, death: flag },
};
const coarse: Sight = { ...sight, heldBackMs: 1000 };
const completed: TurnState = { attempt: 1, model: 'm', state: 'ended', outcome: 'completed' };
const stale: TurnState = { ...completed, state: 'stale', outcome: null };

function toldAt(atMs: number, more: Partial<NonNullable<Told['stale']>> = {}): Told {
  return {
    ...{ atMs, type: 'turn.stale', turn: 't', model: 'm' },
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
  expect(stopped([told(15_000)], [stale], call)).toEqual([]);
  expect(stopped([told(18_001)], [stale], call)).toHaveLength(1);
});

test('what is well is never flagged, ends well, and is one turn in one attempt', () => {
  const suspect: Told = { ...toldAt(9000), type: 'turn.suspect' };
  expect(judgeHealthy('completed', [suspect], [completed]).faults).toEqual([]);
  expect(judgeHealthy('completed', [toldAt(9000)], [completed]).faults).toEqual([
    'told: stale (silence, text)',
  ]);
  expect(judgeHealthy('completed', [], [stale]).faults).toEqual(['the turn is stale, not completed']);
  expect(judgeHealthy('completed', [], []).faults).toEqual(['the detector knows 0 turns of it, not one']);
  expect(judgeHealthy('completed', [], [{ ...completed, attempt: 2 }]).faults).toEqual([
    'the turn is in its attempt 2, not its first',
  ]);
});
