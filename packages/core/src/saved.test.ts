import { describe, expect, test } from 'vitest';
import { anOrigin, aTurn, at, bootZeroMs, s, wallZeroMs } from '../fixtures/given.ts';
import { newProcess } from './liveness.ts';
import { canaryBack, newPath } from './path.ts';
import { restorePath, restoreProcess, restoreTurn, savePath, saveProcess, saveTurn } from './saved.ts';
import type { Now } from './time.ts';

/** Through JSON, as any store does it. */
const stored = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
/** The host was booted anew: its boot clock starts somewhere else, the wall went on by 30 s. */
const rebooted: Now = { awakeMs: s(10), bootMs: 500, wallMs: wallZeroMs + s(40) };

describe('a turn', () => {
  test('its horizons are wall instants, since a boot clock does not outlive a reboot', () => {
    const turn = aTurn({
      deadlineMs: bootZeroMs + s(100),
      requestDeadlines: { r1: bootZeroMs + s(35), told: Number.POSITIVE_INFINITY },
    });
    const saved = stored(saveTurn(turn, at(10)));
    expect(saved).toMatchObject({
      deadlineWallMs: wallZeroMs + s(100),
      requestDeadlinesWallMs: { r1: wallZeroMs + s(35), told: null },
    });
    expect(restoreTurn(saved, rebooted)).toEqual({
      ...turn,
      deadlineMs: 500 + s(60),
      requestDeadlines: { r1: 500 - s(5), told: Number.POSITIVE_INFINITY },
    });
  });

  test('one without a horizon stays without', () => {
    const saved = stored(saveTurn(aTurn(), at(10)));
    expect(saved.deadlineWallMs).toBeNull();
    expect(restoreTurn(saved, rebooted).deadlineMs).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('a process', () => {
  test('its silence counts from the restart; an announced suspend goes on', () => {
    const process = { ...newProcess(anOrigin(), 'relay', at(0)), suspendedUntilMs: bootZeroMs + s(100) };
    process.turns.add('T');
    const saved = stored(saveProcess(process, at(10)));
    expect(saved.suspendedUntilWallMs).toBe(wallZeroMs + s(100));
    expect(restoreProcess(saved, rebooted)).toEqual({
      ...process,
      heardAwakeMs: s(10),
      suspendedUntilMs: 500 + s(60),
      turns: new Set(),
    });
  });

  test('one that announced nothing has announced nothing', () => {
    const saved = stored(saveProcess(newProcess(anOrigin(), 'relay', at(0)), at(10)));
    expect(restoreProcess(saved, rebooted).suspendedUntilMs).toBe(Number.NEGATIVE_INFINITY);
  });
});

describe('a path', () => {
  test('what its lag was stays known; its canary must come back first', () => {
    const path = newPath('relay');
    path.lagMs = s(4);
    path.newLagMs = s(3);
    canaryBack(path, at(9));
    path.silentTold = true;
    expect(restorePath(stored(savePath(path)))).toEqual({
      ...newPath('relay'),
      lagMs: s(4),
      newLagMs: s(3),
      silentTold: true,
    });
  });

  test('a lag of an older state, which does not tell its age, counts from here', () => {
    const older = { id: 'relay', lagMs: s(4), silentTold: false };
    expect(restorePath(older)).toMatchObject({ lagMs: s(4), newLagMs: s(4) });
  });

  test('one that has no lag yet', () => {
    expect(restorePath(stored(savePath(newPath('relay'))))).toEqual(newPath('relay'));
  });
});
