import { describe, expect, it } from 'vitest';
import { retryAfterMs } from './retry-after.ts';
import { baseDelayMs, nextDelayMs } from './schedule.ts';

describe('w201: the documented delays', () => {
  it('0, 1, 2, 5, 10, 20, 30, 60, 120, 300 s, then every 10 min', () => {
    const seconds = Array.from({ length: 13 }, (_, i) => baseDelayMs(i + 1) / 1000);
    expect(seconds).toEqual([0, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 600, 600]);
  });

  it('+-20 %, and never below the delay before', () => {
    for (let attempts = 1; attempts <= 20; attempts++) {
      for (const random of [0, 0.25, 0.5, 0.999999]) {
        const delayMs = nextDelayMs(attempts, random);
        expect(delayMs).toBeGreaterThanOrEqual(baseDelayMs(attempts));
        expect(delayMs).toBeGreaterThanOrEqual(0.8 * baseDelayMs(attempts + 1));
        expect(delayMs).toBeLessThanOrEqual(1.2 * baseDelayMs(attempts + 1));
      }
    }
  });

  it('Retry-After where it is longer', () => {
    expect(nextDelayMs(1, 0.5, 30_000)).toBe(30_000);
    expect(nextDelayMs(9, 0.5, 30_000)).toBe(300_000);
  });
});

describe('Retry-After', () => {
  const nowMs = Date.parse('2026-11-30T11:00:00Z');
  it.each([
    ['30', 30_000],
    ['0', 1000],
    ['86400', 600_000],
    ['Mon, 30 Nov 2026 11:00:20 GMT', 20_000],
    ['Mon, 30 Nov 2026 10:00:00 GMT', 1000],
    ['Tue, 01 Dec 2026 11:00:00 GMT', 600_000],
    ['-5', undefined],
    ['soon', undefined],
    ['1.5', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s', (header, expected) => {
    expect(retryAfterMs(header, nowMs)).toBe(expected);
  });
});
