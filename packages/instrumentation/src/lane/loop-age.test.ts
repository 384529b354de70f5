import { expect, it } from 'vitest';
import { LoopAge } from './loop-age.ts';

it('grows while the main loop does not beat, and is 0 with its next beat', () => {
  const age = new LoopAge(0, 0);
  expect(age.look(1, 1000)).toBe(0);
  expect([2000, 3000, 4000].map((monoMs) => age.look(1, monoMs))).toEqual([1000, 2000, 3000]);
  expect(age.look(2, 5000)).toBe(0);
});

it('is awake time: a host that slept for an hour has not had its loop stuck for an hour', () => {
  const age = new LoopAge(0, 0);
  age.look(1, 1000);
  expect(age.look(1, 3_601_000)).toBe(1500);
});
