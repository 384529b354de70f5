import { makePolicy, Registry } from '@turnwatch/core';
import { expect, test } from 'vitest';
import { Owners } from '../access/owners.ts';
import { silentLogger } from '../logger.ts';
import { MemoryStore } from '../store/memory-store.ts';
import type { Commit } from '../store/turn-store.ts';
import { HeldClocks } from '../testing/held-time.ts';
import { ScriptedAgent } from '../testing/scripted-agent.ts';
import { sliceTurns } from './changes.ts';
import { Pipeline } from './pipeline.ts';
import { Teller } from './teller.ts';

class WatchedStore extends MemoryStore {
  readonly commits: Commit[] = [];
  full = false;

  override commit(commit: Commit): void {
    this.commits.push(commit);
    if (this.full) throw new Error('the disk is full');
    super.commit(commit);
  }

  /** Turns of each commit since the last look. */
  sizes(): number[] {
    return this.commits.splice(0).map(({ turns }) => turns.length);
  }
}

function bench() {
  const clocks = new HeldClocks();
  const now = () => ({ awakeMs: clocks.monoMs(), bootMs: clocks.bootMs(), wallMs: clocks.wallMs() });
  const store = new WatchedStore();
  const pipeline = new Pipeline({
    registry: new Registry(makePolicy(), now()),
    store,
    teller: new Teller({ endpoints: () => [], source: 'test', sequence: 0 }),
    now,
    bootId: 'boot',
    soon: () => undefined,
    logger: silentLogger,
    onEvent: () => undefined,
    owners: new Owners([], [], { maxTurns: 1e7, maxTurnsPerOwner: 1e7 }),
    onMerge: () => undefined,
    onForgotten: () => undefined,
    onEffect: () => undefined,
    onQueued: () => undefined,
    onKept: () => undefined,
  });
  return { clocks, store, pipeline };
}

const agentsOf = (count: number) => Array.from({ length: count }, (_, n) => new ScriptedAgent(`t${n}`));

async function move({ pipeline }: ReturnType<typeof bench>, agents: readonly ScriptedAgent[]): Promise<void> {
  const signals = agents.map((agent) => {
    agent.a += 1000;
    return agent.says({ name: 'heartbeat' });
  });
  const answer = pipeline.submit(signals, 'direct');
  pipeline.run();
  await answer;
}

test('a start takes no moved turns with it, however many wait', async () => {
  const given = bench();
  const agents = agentsOf(500);
  await move(given, agents);
  given.store.sizes();
  await move(given, agents);
  expect(given.store.sizes()).toEqual([]);
  const start = given.pipeline.submit([new ScriptedAgent('late').says({ name: 'started' })], 'direct');
  given.pipeline.run();
  await start;
  expect(given.store.commits).toMatchObject([{ turns: [{ id: 'late' }] }]);
  expect(given.store.commits[0]).not.toHaveProperty('lazy');
});

test('a round of the checkpoint is written in slices, a tick each, lazily, the longest waiting first, and then rests', async () => {
  const given = bench();
  const agents = agentsOf(2 * sliceTurns + 1);
  await move(given, agents);
  await move(given, agents);
  given.store.commits.length = 0;
  given.pipeline.run({ checkpoint: true });
  expect(given.store.commits).toMatchObject([
    { lazy: true, rest: {}, clocks: { wallMs: given.clocks.wallMs(), bootId: 'boot' } },
  ]);
  expect(given.store.commits[0]?.turns[0]?.id).toBe('t0');
  expect(given.store.sizes()).toEqual([sliceTurns]);
  // Moving on while the round is under way does not make it longer.
  await move(given, agents);
  given.pipeline.run();
  expect(given.store.sizes()).toEqual([]);
  for (let tick = 0; tick < 4; tick++) given.pipeline.run({ tick: true });
  expect(given.store.commits[0]).not.toHaveProperty('rest');
  expect(given.store.sizes()).toEqual([sliceTurns, 1]);
});

test('a slice that the store refused is written by the next tick; batches in between do not try it', async () => {
  const given = bench();
  const agents = agentsOf(3);
  await move(given, agents);
  await move(given, agents);
  given.store.sizes();
  given.store.full = true;
  expect(() => given.pipeline.run({ checkpoint: true })).toThrow('the disk is full');
  const start = given.pipeline.submit([new ScriptedAgent('late').says({ name: 'started' })], 'direct');
  expect(() => given.pipeline.run()).toThrow('it is tried once a second');
  await expect(start).rejects.toThrow('the disk is full');
  expect(given.store.sizes()).toEqual([3]);
  given.store.full = false;
  given.pipeline.run({ tick: true });
  expect(given.store.sizes()).toEqual([4]);
  expect(given.pipeline.health).toEqual({});
});

test('a turn that comes back after it was forgotten is kept', async () => {
  const given = bench();
  const agent = new ScriptedAgent('t1');
  const ends = given.pipeline.submit(
    [agent.says({ name: 'started' }), agent.says({ name: 'ended', outcome: 'completed' })],
    'direct',
  );
  given.pipeline.run();
  await ends;
  given.pipeline.forget(given.clocks.wallMs() + 1);
  const again = given.pipeline.submit([new ScriptedAgent('t1').says({ name: 'started' })], 'direct');
  given.pipeline.run();
  await again;
  expect(given.store.load().turns).toHaveLength(1);
});

test('a stop writes all that has moved', async () => {
  const given = bench();
  const agents = agentsOf(sliceTurns + 5);
  await move(given, agents);
  await move(given, agents);
  given.store.sizes();
  given.pipeline.close();
  expect(given.store.sizes()).toEqual([sliceTurns + 5]);
});
