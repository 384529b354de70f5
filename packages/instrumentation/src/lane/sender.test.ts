import { beforeEach, describe, expect, it } from 'vitest';
import { HandTimers } from '../../fixtures/hand-timers.ts';
import { SimulatedProcess } from '../../fixtures/simulated-process.ts';
import { LatestState, type Outgoing } from './latest-state.ts';
import type { Failure } from './poster.ts';
import { Sender } from './sender.ts';

interface Posted {
  readonly atMs: number;
  readonly batch: readonly Outgoing[];
  readonly timeoutMs: number;
  answer(failure?: Failure): Promise<void>;
}

let timers: HandTimers;
let state: LatestState;
let posted: Posted[];
let done: Failure[];
let sender: Sender;
let tell: () => void;

/** Lets promises settle. */
const settle = (): Promise<void> => new Promise(setImmediate);

async function pass(ms: number): Promise<void> {
  timers.pass(ms);
  await settle();
}

beforeEach(() => {
  timers = new HandTimers();
  state = new LatestState();
  posted = [];
  done = [];
  sender = new Sender({
    state,
    timers,
    monoMs: () => timers.nowMs,
    post: (batch, timeoutMs, abort) =>
      new Promise((resolve) => {
        abort.addEventListener('abort', () => resolve('aborted'));
        posted.push({
          atMs: timers.nowMs,
          batch,
          timeoutMs,
          answer: async (failure) => {
            resolve(failure);
            await settle();
          },
        });
      }),
    onDone: (failure) => done.push(failure),
  });
  const process = new SimulatedProcess();
  tell = () => {
    process.producer.exited('x', {});
    for (const signal of process.told.splice(0)) state.takeNews(signal, undefined, 0);
    sender.wake();
  };
});

describe('Sender', () => {
  it('sends news at once, and four times a second at most', async () => {
    for (let i = 0; i < 100; i++) {
      tell();
      await posted.at(-1)?.answer();
      await pass(20);
    }
    expect(posted.slice(0, 5).map(({ atMs }) => atMs)).toEqual([0, 260, 520, 780, 1040]);
    expect(posted).toHaveLength(8);
    expect(posted.reduce((sum, { batch }) => sum + batch.length, 0)).toBeGreaterThan(90);
  });

  it('has one request under way, and sends what came meanwhile after it', async () => {
    tell();
    tell();
    tell();
    await pass(1000);
    expect(posted).toHaveLength(1);
    await posted[0]?.answer();
    expect(posted).toHaveLength(2);
    expect(posted[1]?.batch).toHaveLength(2);
  });

  it('rests a second after a failure, counted from its start, so that a time-out is not followed by a pause', async () => {
    tell();
    await posted[0]?.answer('ECONNREFUSED');
    tell();
    await pass(900);
    expect(posted).toHaveLength(1);
    await pass(100);
    expect(posted).toHaveLength(2);
    expect(posted[1]?.timeoutMs).toBe(1500);
    timers.pass(1500);
    await posted[1]?.answer('no answer within 1500 ms');
    expect(posted).toHaveLength(3);
    expect(done).toEqual(['ECONNREFUSED', 'no answer within 1500 ms']);
  });

  it('flushes at once all that is pending, within its time', async () => {
    tell();
    await posted[0]?.answer();
    tell();
    expect(posted).toHaveLength(1);
    let flushed = false;
    const flushing = sender.flush(1000).then(() => {
      flushed = true;
    });
    await settle();
    expect(posted).toHaveLength(2);
    expect(posted[1]?.timeoutMs).toBe(1000);
    expect(flushed).toBe(false);
    await posted[1]?.answer();
    await flushing;
  });

  it('gives up a request that hangs for the sake of a flush', async () => {
    tell();
    const flushing = sender.flush(1500);
    await pass(500);
    expect(posted).toHaveLength(2);
    // What the aborted request carried goes again.
    expect(posted[1]?.batch).toHaveLength(1);
    await posted[1]?.answer();
    await flushing;
  });

  it('does not try twice in a flush', async () => {
    tell();
    const flushing = sender.flush(1500);
    await posted[0]?.answer('x');
    await posted[1]?.answer('x');
    await flushing;
    expect(posted).toHaveLength(2);
  });
});
