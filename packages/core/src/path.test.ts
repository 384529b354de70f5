import { describe, expect, test } from 'vitest';
import { at, s, wallZeroMs } from '../fixtures/given.ts';
import { canaryBack, canaryFresh, expectDelay, forgetLag, newPath, noteLag, pathSettled } from './path.ts';

describe('the canary shows whether a path works', () => {
  test('it is fresh for 5 s', () => {
    const path = newPath('direct');
    expect(canaryFresh(path, at(0))).toBe(false);
    canaryBack(path, at(10));
    expect(canaryFresh(path, at(14.9))).toBe(true);
    expect(canaryFresh(path, at(15))).toBe(false);
  });

  test('after an outage living processes get the time of two heartbeats first', () => {
    const path = newPath('direct');
    expect(pathSettled(path, at(0))).toBe(false);
    canaryBack(path, at(10));
    expect(pathSettled(path, at(11.9))).toBe(false);
    expect(pathSettled(path, at(12))).toBe(true);
    canaryBack(path, at(14));
    expect(pathSettled(path, at(14))).toBe(true);
    canaryBack(path, at(40));
    expect(pathSettled(path, at(40))).toBe(false);
    expect(pathSettled(path, at(42))).toBe(true);
  });

  test('one that comes late out of a jam makes nothing fresh, and ends no outage that was told', () => {
    const path = newPath('collector');
    path.silentTold = true;
    canaryBack(path, at(30), s(10));
    expect(canaryFresh(path, at(30))).toBe(false);
    expect(path).toMatchObject({
      silentTold: true,
      worksSinceMs: undefined,
      canaryWallMs: wallZeroMs + s(10),
    });
    canaryBack(path, at(31), s(28));
    expect(canaryFresh(path, at(31))).toBe(true);
    expect(path).toMatchObject({ silentTold: false, worksSinceMs: s(31) });
    expect(canaryFresh(path, at(33))).toBe(false);
  });

  test('an older one that was overtaken takes nothing back, and none is of the future', () => {
    const path = newPath('collector');
    canaryBack(path, at(10), s(10));
    canaryBack(path, at(10.5), s(7));
    expect(canaryFresh(path, at(14.9))).toBe(true);
    canaryBack(path, at(11), s(500));
    expect(canaryFresh(path, at(16))).toBe(false);
  });

  test('its return ends the outage that was told', () => {
    const path = newPath('direct');
    path.silentTold = true;
    canaryBack(path, at(10));
    expect(path).toMatchObject({ silentTold: false, canaryWallMs: wallZeroMs + 10_000 });
  });
});

describe('the lag of a path is its largest of the last hours', () => {
  test('it outlives the stretch that it came in by one', () => {
    const path = newPath('direct');
    noteLag(path, s(300));
    noteLag(path, s(2));
    expect(path.lagMs).toBe(s(300));
    forgetLag(path, 1);
    expect(path.lagMs).toBe(s(300));
    noteLag(path, s(5));
    expect(path.lagMs).toBe(s(300));
    forgetLag(path, 1);
    expect(path.lagMs).toBe(s(5));
    forgetLag(path, 1);
    expect(path.lagMs).toBe(0);
  });

  test('nothing is left where two stretches or more went by at once', () => {
    const path = newPath('direct');
    noteLag(path, s(300));
    forgetLag(path, 2);
    expect(path.lagMs).toBe(0);
  });

  test('what it is late by nature is not forgotten', () => {
    const path = newPath('mapper');
    expectDelay(path, s(5));
    noteLag(path, s(300));
    forgetLag(path, 9);
    expect(path.lagMs).toBe(s(5));
  });
});
