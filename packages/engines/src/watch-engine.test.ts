import type { EngineReading } from '@turnwatch/plugin';
import { ScriptedProbe } from '@turnwatch/plugin/testing';
import { expect, test } from 'vitest';
import { watchEngine } from './watch-engine.ts';

/** Timers that the test fires. */
class HandTimers {
  readonly pending: { readonly ms: number; readonly work: () => void }[] = [];
  after(ms: number, work: () => void): () => void {
    const one = { ms, work };
    this.pending.push(one);
    return () => {
      const at = this.pending.indexOf(one);
      if (at >= 0) this.pending.splice(at, 1);
    };
  }
  fire(ms: number): void {
    const at = this.pending.findIndex((one) => one.ms === ms);
    const [one] = this.pending.splice(at, 1);
    if (at < 0 || one === undefined) throw new Error(`nothing waits for ${ms} ms`);
    one.work();
  }
}

test('looks again after each look, tells what failed, and stops', async () => {
  const timers = new HandTimers();
  const told: (EngineReading | undefined)[] = [];
  const seen = Promise.withResolvers<void>();
  let next = seen;
  const probe = new ScriptedProbe('gpu');
  probe.answer = () => {
    if (probe.looks === 2) throw new Error('refused');
    return { state: probe.looks === 1 ? 'idle' : 'busy' };
  };
  const watch = watchEngine(probe, {
    everyMs: 3000,
    timers,
    onLook: (reading) => {
      told.push(reading);
      next.resolve();
    },
  });
  for (let look = 0; look < 3; look++) {
    await next.promise;
    next = Promise.withResolvers<void>();
    await Promise.resolve();
    if (look < 2) timers.fire(3000);
  }
  expect(told).toEqual([{ state: 'idle' }, undefined, { state: 'busy' }]);
  await watch.stop();
  expect(timers.pending).toEqual([]);
});

test('a look that takes too long is given up', async () => {
  const timers = new HandTimers();
  const told = Promise.withResolvers<unknown>();
  const watch = watchEngine(
    {
      engine: 'gpu',
      probe: (signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    },
    { timeoutMs: 700, timers, onLook: (_, error) => told.resolve(error) },
  );
  timers.fire(700);
  expect(await told.promise).toMatchObject({ message: 'the engine did not answer within 700 ms' });
  await watch.stop();
});
