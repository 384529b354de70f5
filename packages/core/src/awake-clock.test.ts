import { describe, expect, test } from 'vitest';
import { AwakeClock } from './awake-clock.ts';

class Source {
  mono = 1000;
  boot = 5000;
  monoMs(): number {
    return this.mono;
  }
  bootMs(): number {
    return this.boot;
  }
  pass(monoMs: number, bootMs = monoMs): void {
    this.mono += monoMs;
    this.boot += bootMs;
  }
}

function ticked(...passed: readonly (readonly [monoMs: number, bootMs: number])[]): {
  readonly awakeMs: number;
  readonly pausesMs: number[];
} {
  const source = new Source();
  const clock = new AwakeClock(source);
  const pausesMs = passed.map(([mono, boot]) => {
    source.pass(mono, boot);
    return clock.tick().pauseMs;
  });
  return { awakeMs: clock.now(), pausesMs };
}

describe('no tick adds more than 1.5 s, on any operating system (report 002, point 3)', () => {
  test.each<[string, [number, number], number, number]>([
    ['a healthy tick', [1000, 1000], 1000, 0],
    ['a slightly late tick', [1500, 1500], 1500, 0],
    ['a blocked loop', [10_000, 10_000], 1500, 8500],
    ['sleep where the monotonic clock stands (Linux)', [1000, 100_000], 1000, 99_000],
    ['sleep where it goes on (macOS, Windows)', [100_000, 100_000], 1500, 98_500],
    ['both at once', [3000, 100_000], 1500, 98_500],
    ['a clock that goes back', [-5000, -5000], 0, 0],
  ])('%s', (_, passed, awakeMs, pauseMs) => {
    expect(ticked(passed)).toEqual({ awakeMs, pausesMs: [pauseMs] });
  });

  test('an hour of healthy ticks is an hour', () => {
    expect(ticked(...Array.from({ length: 3600 }, () => [1000, 1000] as const)).awakeMs).toBe(3_600_000);
  });
});

test('between ticks the clock goes on, never past what the next tick may add', () => {
  const source = new Source();
  const clock = new AwakeClock(source);
  source.pass(700);
  expect(clock.now()).toBe(700);
  source.pass(60_000);
  expect(clock.now()).toBe(1500);
  clock.tick();
  expect(clock.now()).toBe(1500);
  source.pass(-400);
  expect(clock.now()).toBe(1500);
});

test('a restarted detector goes on from its saved clock', () => {
  expect(new AwakeClock(new Source(), 123_000).now()).toBe(123_000);
});

test('another tick length has the same slack', () => {
  const source = new Source();
  const clock = new AwakeClock(source, 0, 250);
  source.pass(10_000);
  expect(clock.tick().pauseMs).toBe(9250);
  expect(clock.now()).toBe(750);
});
