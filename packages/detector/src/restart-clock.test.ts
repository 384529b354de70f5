import { describe, expect, test } from 'vitest';
import { restartClock } from './restart-clock.ts';

const minuteMs = 60_000;
const stored = { wallMs: 1_000 * minuteMs, bootMs: 50 * minuteMs, bootId: 'a' };

describe('within one run of the operating system', () => {
  test('an ordinary restart goes by the wall clock', () => {
    const now = { wallMs: 1_010 * minuteMs + 900, bootMs: 60 * minuteMs, bootId: 'a' };
    expect(restartClock(stored, now)).toEqual({ wallMs: now.wallMs, setByMs: 0 });
  });

  test('a clock that was set back a year, or on one, is seen through: the boot clock knows the down time', () => {
    for (const setByMs of [-525_600 * minuteMs, 525_600 * minuteMs]) {
      const now = { wallMs: 1_010 * minuteMs + setByMs, bootMs: 60 * minuteMs, bootId: 'a' };
      expect(restartClock(stored, now)).toEqual({ wallMs: 1_010 * minuteMs, setByMs });
    }
  });
});

describe('after a reboot, or where runs cannot be told apart', () => {
  test.each([{ bootId: 'b' }, {}])(
    'a clock before the last commit is wrong: no down time is counted, %o',
    (id) => {
      const now = { wallMs: 10 * minuteMs, bootMs: minuteMs, ...id };
      expect(restartClock(stored, now)).toEqual({ wallMs: stored.wallMs, setByMs: -990 * minuteMs });
    },
  );

  test('a later clock is believed', () => {
    const now = { wallMs: 9_000 * minuteMs, bootMs: minuteMs, bootId: 'b' };
    expect(restartClock(stored, now)).toEqual({ wallMs: now.wallMs, setByMs: 0 });
  });
});

test('a store without clocks, new or of an older version', () => {
  expect(restartClock(undefined, { wallMs: 5, bootMs: 1 })).toEqual({ wallMs: 5, setByMs: 0 });
});
