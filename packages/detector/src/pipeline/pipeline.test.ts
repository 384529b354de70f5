import { type Effect, type EngineSignal, JudgingError, makePolicy, Registry } from '@turnwatch/core';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { Owners } from '../access/owners.ts';
import { silentLogger } from '../logger.ts';
import { MemoryStore } from '../store/memory-store.ts';
import { HeldClocks } from '../testing/held-time.ts';
import { ScriptedAgent } from '../testing/scripted-agent.ts';
import { judgedTurns } from './judged.ts';
import { Pipeline } from './pipeline.ts';
import { StoreUnavailable } from './store-unavailable.ts';
import { Teller } from './teller.ts';

class FaultyRegistry extends Registry {
  faulty = false;
  faultyTurn: string | undefined;

  override judge(...given: Parameters<Registry['judge']>): ReturnType<Registry['judge']> {
    if (this.faulty) throw new Error('a fault in judging');
    const effects: readonly Effect[] = super.judge(...given);
    if (this.faultyTurn === undefined) return [...effects];
    throw new JudgingError([{ turn: this.faultyTurn, cause: new Error('a fault') }], effects);
  }
}

const clocks = new HeldClocks();
const now = () => ({ awakeMs: clocks.monoMs(), bootMs: clocks.bootMs(), wallMs: clocks.wallMs() });
let registry: FaultyRegistry;
let store: MemoryStore;
let soon: (() => void)[];
let pipeline: Pipeline;
let effects: string[];
let owners: Owners;
beforeEach(() => {
  registry = new FaultyRegistry(makePolicy(), now());
  store = new MemoryStore();
  soon = [];
  effects = [];
  owners = new Owners([], [], { maxTurns: 10, maxTurnsPerOwner: 10 });
  pipeline = new Pipeline(options());
});

function options(): ConstructorParameters<typeof Pipeline>[0] {
  return {
    registry,
    store,
    teller: new Teller({ endpoints: () => [], source: 'test', sequence: 0 }),
    now,
    soon: (work) => void soon.push(work),
    owners,
    logger: silentLogger,
    onEvent: () => undefined,
    onMerge: () => undefined,
    onForgotten: () => undefined,
    onEffect: ({ kind }) => void effects.push(kind),
    onQueued: () => undefined,
    onKept: () => undefined,
  };
}

const started = (turn: string) => new ScriptedAgent(turn).says({ name: 'started' });
const settled = async (promise: Promise<unknown>): Promise<boolean> => {
  const pending = Symbol('pending');
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
};

test('more turns than are judged in one go are judged in slices, and what comes in is merged between them', async () => {
  owners = new Owners([], [], { maxTurns: 10_000, maxTurnsPerOwner: 10_000 });
  const expired: string[] = [];
  const sliced = new Pipeline({
    ...options(),
    owners,
    onEvent: (event) => void expired.push('turn' in event ? event.turn : ''),
  });
  const turns = Array.from({ length: 2 * judgedTurns + 1 }, (_, n) => new ScriptedAgent(`t${n}`));
  void sliced.submit(
    turns.map((agent) => agent.says({ name: 'started' }, 0, { expiresInMs: 5000 })),
    'direct',
  );
  // Its start is a slice of its own.
  while (soon.length > 0) soon.shift()?.();
  clocks.advance(5000);
  sliced.tick({ checkpoint: false });
  expect([expired.length, soon.length]).toEqual([judgedTurns, 1]);
  const last = turns.at(-1);
  const inTime = last?.says({ name: 'ended', outcome: 'completed' }, 0, { expiresInMs: 1000 });
  const accepted = inTime && sliced.submit([inTime], 'direct');
  expect(soon).toHaveLength(1);
  soon.shift()?.();
  expect(expired).toHaveLength(2 * judgedTurns);
  // What was sent is kept, and answered, before the rest is judged.
  expect(await accepted).toEqual({ refused: new Map() });
  while (soon.length > 0) soon.shift()?.();
  expect(expired).toEqual(turns.slice(0, -1).map(({ turn }) => turn));
  expect(registry.behind).toBe(false);
});

test('what a stop leaves unjudged is judged after the restart, and nothing is told twice', async () => {
  owners = new Owners([], [], { maxTurns: 10_000, maxTurnsPerOwner: 10_000 });
  const before = new Pipeline({ ...options(), owners });
  const turns = Array.from({ length: judgedTurns + 1 }, (_, n) => new ScriptedAgent(`t${n}`));
  void before.submit(
    turns.map((agent) => agent.says({ name: 'started' }, 0, { expiresInMs: 5000 })),
    'direct',
  );
  while (soon.length > 0) soon.shift()?.();
  clocks.advance(5000);
  before.tick({ checkpoint: false });
  before.close();
  while (soon.length > 0) soon.shift()?.();
  const told = (): string[] =>
    store.eventsAfter(0, { managed: false }, 10_000).map(({ type, turnId }) => `${type} ${turnId}`);
  expect(told()).toHaveLength(judgedTurns);
  const restored = Registry.restore(makePolicy(), store.load(), now());
  const teller = new Teller({ endpoints: () => [], source: 'test', sequence: judgedTurns });
  const after = new Pipeline({ ...options(), owners, registry: restored, teller });
  after.tick({ checkpoint: false });
  while (soon.length > 0) soon.shift()?.();
  expect(told()).toEqual(turns.map(({ turn }) => `turn.expired ${turn}`));
});

describe('a batch', () => {
  test('is answered after its commit, and batches that wait share one', async () => {
    const one = pipeline.submit([started('t1')], 'direct');
    const two = pipeline.submit([started('t2')], 'direct');
    expect(soon).toHaveLength(1);
    expect(await settled(one)).toBe(false);
    expect(store.load().turns).toEqual([]);
    soon[0]?.();
    expect(await Promise.all([one, two])).toEqual([{ refused: new Map() }, { refused: new Map() }]);
    expect(store.load().turns).toHaveLength(2);
  });

  test('that moves a turn without changing its state waits for the checkpoint', async () => {
    const agent = new ScriptedAgent('t1');
    const start = pipeline.submit([agent.says({ name: 'started' })], 'direct');
    pipeline.run();
    await start;
    const before = JSON.stringify(store.load().turns);
    agent.a = 500;
    const beat = pipeline.submit([agent.says({ name: 'heartbeat' })], 'direct');
    pipeline.run();
    expect(await beat).toEqual({ refused: new Map() });
    expect(JSON.stringify(store.load().turns)).toBe(before);
    pipeline.run({ checkpoint: true });
    expect(JSON.stringify(store.load().turns)).not.toBe(before);
    expect(store.load().rest?.processes).toHaveLength(1);
  });

  test('is refused when too much waits, and taken again after the drain', async () => {
    const many = Array.from({ length: 250_000 }, () => started('t1'));
    const taken = [pipeline.submit(many, 'direct'), pipeline.submit(many, 'direct')];
    await expect(pipeline.submit([started('t2')], 'direct')).rejects.toThrow(StoreUnavailable);
    soon[0]?.();
    await Promise.all(taken);
    const again = pipeline.submit([started('t2')], 'direct');
    soon[1]?.();
    expect(await again).toEqual({ refused: new Map() });
  });

  test('is refused while stopping; what came before is kept', async () => {
    const before = pipeline.submit([started('t1')], 'direct');
    pipeline.close();
    expect(await before).toEqual({ refused: new Map() });
    expect(store.load().turns).toHaveLength(1);
    await expect(pipeline.submit([started('t2')], 'direct')).rejects.toThrow('the detector is stopping');
  });
});

test('a fault in judging refuses the batch, reaches the tick, and is over when the fault is', async () => {
  registry.faulty = true;
  const batch = pipeline.submit([started('t1')], 'direct');
  soon[0]?.();
  await expect(batch).rejects.toThrow(StoreUnavailable);
  expect(() => pipeline.run()).toThrow('a fault in judging');
  registry.faulty = false;
  pipeline.run();
  expect(store.load().turns).toHaveLength(1);
  expect(effects).toContain('keep');
});

test('one turn that cannot be judged keeps nobody’s verdict and nobody’s batch from being kept, and reaches the tick', async () => {
  registry.faultyTurn = 'other';
  const agent = new ScriptedAgent('t1');
  const batch = pipeline.submit([agent.says({ name: 'started' }, 0, { expiresInMs: 500 })], 'direct');
  soon[0]?.();
  expect(await batch).toEqual({ refused: new Map() });
  clocks.advance(1000);
  expect(() => pipeline.tick({ checkpoint: false })).toThrow(JudgingError);
  expect(store.eventsAfter(0, { managed: false }, 10).map(({ type }) => type)).toEqual(['turn.expired']);
});

test('a record that cannot be merged gives nobody a claim to its turn', async () => {
  vi.spyOn(registry, 'receive').mockImplementationOnce(() => {
    throw new Error('a fault in merging');
  });
  const batch = pipeline.submit([started('t1')], 'direct', 'a');
  soon[0]?.();
  expect(await batch).toEqual({ refused: new Map([['not_mergeable', 1]]) });
  expect(owners.ownerOf('turn', 't1')).toBeUndefined();
});

test('whoever speaks for an engine owns it for as long as it is known, idle or not', async () => {
  const idle: EngineSignal = {
    type: 'engine',
    origin: { process: 'probe', boot: 'b', seq: 1, a: 1 },
    engine: 'llama',
    state: 'idle',
    slots: [],
    queued: 0,
  };
  const batch = pipeline.submit([idle], 'direct', 'a');
  pipeline.run();
  await batch;
  clocks.advance(599_000);
  pipeline.run();
  pipeline.forget(0);
  expect(owners.ownerOf('engine', 'llama')).toBe('a');
  clocks.advance(1000);
  pipeline.run();
  pipeline.forget(0);
  expect(owners.sizes).toEqual({ turn: 0, process: 0, engine: 0 });
});
