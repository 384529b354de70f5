import { uptime } from 'node:os';
import { expect, test } from 'vitest';
import { bootClock, machineClocks } from './machine-clocks.ts';

test('uptime is read ten times a second at most; between two readings the monotonic clock goes on for it', () => {
  let monoMs = 0;
  let sleptMs = 0;
  let reads = 0;
  const bootMs = bootClock(
    () => monoMs,
    () => {
      reads++;
      // Rounded, as Linux has it.
      return Math.floor((50_000 + monoMs + sleptMs) / 10) / 100;
    },
  );
  expect(bootMs()).toBe(50_000);
  monoMs = 99;
  expect(bootMs()).toBe(50_099);
  expect(reads).toBe(1);
  sleptMs = 600_000;
  monoMs = 101;
  expect(bootMs()).toBe(650_100);
  expect(reads).toBe(2);
});

test('it never goes back, though uptime is rounded', () => {
  let monoMs = 0;
  const bootMs = bootClock(
    () => monoMs,
    () => Math.floor(monoMs / 10) / 100,
  );
  monoMs = 109;
  const before = bootMs();
  monoMs = 208;
  const between = bootMs();
  monoMs = 209.5;
  expect(between).toBeGreaterThanOrEqual(before);
  expect(bootMs()).toBeGreaterThanOrEqual(between);
});

test('the clocks of this machine go on', () => {
  const clocks = machineClocks();
  const [monoMs, bootMs] = [clocks.monoMs(), clocks.bootMs()];
  expect(clocks.monoMs()).toBeGreaterThanOrEqual(monoMs);
  expect(clocks.bootMs()).toBeGreaterThanOrEqual(bootMs);
  if (process.platform === 'linux') expect(Math.abs(bootMs - uptime() * 1000)).toBeLessThan(5000);
});
