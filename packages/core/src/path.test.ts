import { describe, expect, test } from 'vitest';
import { at, wallZeroMs } from '../fixtures/given.ts';
import { canaryBack, canaryFresh, newPath, pathSettled } from './path.ts';

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

  test('its return ends the outage that was told', () => {
    const path = newPath('direct');
    path.silentTold = true;
    canaryBack(path, at(10));
    expect(path).toMatchObject({ silentTold: false, canaryWallMs: wallZeroMs + 10_000 });
  });
});
