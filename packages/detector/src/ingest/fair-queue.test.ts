import { beforeEach, describe, expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';
import { IngestError } from './ingest-error.ts';

let nowMs: number;
let soon: (() => void)[];
let order: string[];
beforeEach(() => {
  nowMs = 0;
  soon = [];
  order = [];
});

const queueOf = (more: { maxWaiting?: number; maxWaitingPerSource?: number; slots?: number } = {}) =>
  new FairQueue({
    nowMs: () => nowMs,
    soon: (work) => void soon.push(work),
    maxWaiting: 100,
    maxWaitingPerSource: 50,
    slots: 1,
    slotsPerSource: 2,
    ...more,
  });

/** Work that takes so long, by name. */
const work = (name: string, ms: number) => async (): Promise<string> => {
  order.push(name);
  nowMs += ms;
  return name;
};
async function drain(): Promise<void> {
  for (let next = soon.shift(); next !== undefined; next = soon.shift()) {
    next();
    // What was begun settles before the next turn of the loop.
    for (let hop = 0; hop < 5; hop++) await Promise.resolve();
  }
}

test('the work of a source that floods waits for that of the others, whatever came first', async () => {
  const queue = queueOf();
  const all = [
    ...Array.from({ length: 20 }, (_, n) => queue.run('flood', 1, work(`flood ${n}`, 400))),
    queue.run('calm', 2, work('calm', 1)),
    queue.run('other', 3, work('other', 1)),
  ];
  await drain();
  await Promise.all(all);
  expect(order.slice(0, 4)).toEqual(['flood 0', 'calm', 'other', 'flood 1']);
  expect(order.slice(4)).toEqual(Array.from({ length: 18 }, (_, n) => `flood ${n + 2}`));
});

test('it is shared out by time, not by the number of requests', async () => {
  const queue = queueOf();
  for (let n = 0; n < 4; n++) void queue.run('big', 1, work('big', 100));
  for (let n = 0; n < 40; n++) void queue.run('small', 2, work('small', 10));
  await drain();
  // After the first big one there are ten small ones to each.
  const between = order
    .join(' ')
    .split('big')
    .map((part) => part.match(/small/g)?.length ?? 0);
  expect(between.slice(1, 4).every((count) => count >= 9 && count <= 11)).toBe(true);
});

test('a source that sends its next one only after the last is done pays for the last', async () => {
  const queue = queueOf();
  void queue.run('big', 1, work('big', 500));
  await drain();
  void queue.run('big', 1, work('big again', 500));
  for (let n = 0; n < 3; n++) void queue.run('small', 2, work('small', 1));
  await drain();
  expect(order).toEqual(['big', 'small', 'small', 'small', 'big again']);
});

test('within a source, each connection has its turn', async () => {
  const queue = queueOf();
  for (let n = 0; n < 5; n++) void queue.run('team', 1, work('busy', 100));
  void queue.run('team', 2, work('quiet', 1));
  await drain();
  expect(order.slice(0, 2)).toEqual(['busy', 'quiet']);
});

test('one source never holds every slot', async () => {
  const queue = queueOf({ slots: 4 });
  const never = (name: string) => (): Promise<void> => {
    order.push(name);
    return new Promise(() => undefined);
  };
  for (let n = 0; n < 4; n++) void queue.run('flood', n, never('flood'));
  void queue.run('calm', 9, work('calm', 1));
  await drain();
  expect(order).toEqual(['flood', 'flood', 'calm']);
  expect(queue.waiting).toBe(2);
});

describe('what is too much is refused, to be sent again', () => {
  const refusal = async (given: Promise<unknown>): Promise<unknown> => {
    const error = await given.catch((reason: unknown) => reason);
    return error instanceof IngestError ? [error.status, error.reason, error.retryable] : error;
  };

  test('of one source', async () => {
    const queue = queueOf({ maxWaitingPerSource: 2 });
    for (let n = 0; n < 2; n++) void queue.run('flood', n, work('x', 1));
    expect(await refusal(queue.run('flood', 3, work('x', 1)))).toEqual([429, 'source_busy', true]);
    void queue.run('calm', 4, work('calm', 1));
    await drain();
    expect(order).toContain('calm');
  });

  test('of all', async () => {
    const queue = queueOf({ maxWaiting: 2 });
    for (let n = 0; n < 2; n++) void queue.run(`s${n}`, n, work('x', 1));
    expect(await refusal(queue.run('late', 3, work('x', 1)))).toEqual([503, 'overloaded', true]);
  });
});

test('work that fails fails its own request only', async () => {
  const queue = queueOf();
  const failed = queue.run('a', 1, () => Promise.reject(new Error('bad body')));
  const fine = queue.run('b', 2, work('fine', 1));
  const outcome = expect(failed).rejects.toThrow('bad body');
  await drain();
  await outcome;
  expect(await fine).toBe('fine');
});
