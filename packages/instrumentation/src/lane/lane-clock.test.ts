import { beforeEach, describe, expect, it } from 'vitest';
import { AwakeClock, type ProducerClock } from '../producer/awake-clock.ts';
import { LaneClock } from './lane-clock.ts';
import { SharedCell } from './shared-cell.ts';

let monoMs = 0;
const clock: ProducerClock = { monoMs: () => monoMs, bootMs: () => monoMs + 70_000, wallMs: () => 1 };
let cell: SharedCell;
let main: LaneClock;
let worker: AwakeClock;

/** One second of the worker's. */
function tick(ms = 1000, loopAgeMs = 0): void {
  monoMs += ms;
  worker.tick(loopAgeMs);
  cell.writeClock(worker.state());
}

beforeEach(() => {
  monoMs = 5000;
  cell = new SharedCell();
  main = new LaneClock(clock, cell);
  // Another thread sees the same memory.
  worker = new AwakeClock(clock, { from: new SharedCell(cell.buffer).readClock() });
});

describe('the clock of both threads', () => {
  it('is one: stamps of the main thread and beats of the worker agree at every instant', () => {
    for (let i = 0; i < 20; i++) {
      tick();
      monoMs += 370;
      expect(main.now()).toBe(worker.now());
      expect(main.awakeMs).toBe(worker.awakeMs);
      monoMs -= 370;
    }
    expect(main.now()).toBe(20_370);
  });

  it('stands still before the first tick of a worker that is slow to start', () => {
    monoMs += 10_000;
    expect(main.now()).toBe(1500);
  });

  it('stands still in both while the main loop is stuck, and neither goes back', () => {
    tick();
    let before = main.now();
    for (let ageMs = 1000; ageMs <= 9000; ageMs += 1000) {
      tick(1000, ageMs);
      monoMs += 600;
      expect(main.now()).toBeGreaterThanOrEqual(before);
      expect(main.now()).toBe(worker.now());
      before = main.now();
      monoMs -= 600;
    }
    expect(main.now()).toBe(6000);
    tick();
    expect(main.now()).toBe(7000);
  });

  it('tells the main thread of a wake', () => {
    tick();
    expect(main.wokeA).toBeUndefined();
    tick(99_000);
    expect(main.wokeA).toBe(worker.wokeA);
    expect(main.wokeA).toBe(2500);
  });

  it('goes on from where it was when the worker is lost', () => {
    tick();
    tick();
    monoMs += 500;
    const before = main.now();
    main.goOnAlone();
    expect(main.now()).toBe(before);
    monoMs += 500;
    main.tick();
    expect(main.now()).toBe(3000);
    expect(main.awakeMs).toBe(3000);
    // What a worker would still write is not looked at any more.
    tick(10_000);
    expect(main.now()).toBe(4500);
  });

  it('counts the beats of the main loop for the worker', () => {
    expect(new SharedCell(cell.buffer).beats).toBe(0);
    main.tick();
    main.tick();
    expect(new SharedCell(cell.buffer).beats).toBe(2);
  });
});
