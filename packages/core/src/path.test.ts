import { describe, expect, test } from 'vitest';
import { at, wallZeroMs } from '../fixtures/given.ts';
import { canaryBack, canaryFresh, newPath, noteLag, pathSettled } from './path.ts';

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

test('lag is what a record takes beyond the quickest one, whatever the clocks are set to', () => {
  const path = newPath('direct');
  const skewMs = 27 * 3_600_000;
  noteLag(path, at(0).wallMs + skewMs, at(1));
  expect(path.lagMs).toBe(0);
  noteLag(path, at(2).wallMs + skewMs, at(7));
  expect(path.lagMs).toBe(4000);
  noteLag(path, at(8).wallMs + skewMs, at(9));
  expect(path.lagMs).toBe(4000);
});
