import { describe, expect, it } from 'vitest';
import { AwakeClock } from './awake-clock.ts';

function simulated() {
  const at = { monoMs: 100, bootMs: 100, wallMs: 0 };
  const clock = new AwakeClock({ monoMs: () => at.monoMs, bootMs: () => at.bootMs, wallMs: () => at.wallMs });
  const pass = (ms: number) => {
    at.monoMs += ms;
    at.bootMs += ms;
  };
  return { at, clock, pass };
}

describe('AwakeClock', () => {
  it('starts at 0 and goes on with the monotonic clock, between ticks too', () => {
    const { clock, pass } = simulated();
    expect(clock.now()).toBe(0);
    pass(400);
    expect(clock.now()).toBe(400);
    pass(600);
    clock.tick();
    pass(1000);
    clock.tick();
    expect(clock.now()).toBe(2000);
  });

  it('adds 1.5 s at most in one tick and between ticks, where the monotonic clock includes sleep', () => {
    const { clock, pass } = simulated();
    pass(99_000);
    expect(clock.now()).toBe(1500);
    clock.tick();
    expect(clock.now()).toBe(1500);
  });

  it('only credits a pause under 60 s, and restarts the silence window at one of 60 s (002)', () => {
    const { clock, pass } = simulated();
    pass(60_999);
    clock.tick();
    expect(clock.wokeA).toBeUndefined();
    pass(61_000);
    clock.tick();
    expect(clock.wokeA).toBe(3000);
  });

  it('sees a sleep that the monotonic clock leaves out by the boot clock', () => {
    const { at, clock, pass } = simulated();
    pass(1000);
    at.bootMs += 99_000;
    clock.tick();
    expect(clock.now()).toBe(1000);
    expect(clock.wokeA).toBe(1000);
  });

  it('adds up a late tick and a sleep', () => {
    const { at, clock, pass } = simulated();
    pass(31_000);
    at.bootMs += 30_000;
    clock.tick();
    expect(clock.wokeA).toBe(1500);
  });

  it('takes the monotonic clock where there is no boot clock', () => {
    const at = { monoMs: 0 };
    const clock = new AwakeClock({ monoMs: () => at.monoMs, wallMs: () => 0 });
    at.monoMs += 61_000;
    clock.tick();
    expect(clock.wokeA).toBe(1500);
    expect(clock.bootMs()).toBe(61_000);
  });

  it('stands still while a worker sees the main loop older than 5 s', () => {
    const { clock, pass } = simulated();
    for (let ageMs = 1000; ageMs <= 10_000; ageMs += 1000) {
      pass(1000);
      clock.tick(ageMs);
    }
    expect(clock.now()).toBe(5000);
    expect(clock.awakeMs).toBe(10_000);
    pass(1000);
    clock.tick(200);
    expect(clock.now()).toBe(6000);
  });

  it('counts the part of a tick before the loop got older than 5 s', () => {
    const { clock, pass } = simulated();
    pass(1000);
    clock.tick(5400);
    expect(clock.now()).toBe(600);
  });

  it('never goes back, even when a tick finds that the loop had been stuck', () => {
    const { clock, pass } = simulated();
    pass(900);
    expect(clock.now()).toBe(900);
    pass(100);
    clock.tick(7000);
    expect(clock.now()).toBe(900);
  });

  it('is not moved by the wall clock', () => {
    const { at, clock, pass } = simulated();
    at.wallMs += 86_400_000;
    pass(1000);
    clock.tick();
    expect(clock.now()).toBe(1000);
    expect(clock.wokeA).toBeUndefined();
  });
});
