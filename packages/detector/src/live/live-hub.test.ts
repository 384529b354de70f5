import { makePolicy, Registry } from '@turnwatch/core';
import { type LiveChange, type LiveRow, liveChange, liveSnapshot } from '@turnwatch/protocol';
import { beforeEach, expect, test } from 'vitest';
import { MemoryStore } from '../store/memory-store.ts';
import { HeldClocks } from '../testing/held-time.ts';
import { ScriptedAgent } from '../testing/scripted-agent.ts';
import { LiveBoard } from './live-board.ts';
import { LiveHub, type LiveSink } from './live-hub.ts';
import { ToldIndex } from './told-index.ts';

const detector = {
  version: '1',
  startedAt: '2026-11-30T12:00:00.000Z',
  ready: true,
  tick: { ok: true, ageMs: 0 },
  store: { ok: true, place: 'memory', error: null },
  canary: { ok: true, ageMs: 0 },
  endpoints: { active: 0, paused: 0, disabled: 0 },
  backlog: 0,
  deadLetters: 0,
};

/** A page at the other end; it reads as fast as `reads` says. */
class Reader implements LiveSink {
  readonly frames: { readonly event: string; readonly data: LiveChange }[] = [];
  reads = true;
  ended = false;

  write(frame: string): boolean {
    const [, event = '', data = ''] = /^id: \d+\nevent: (\w+)\ndata: (.*)\n\n$/.exec(frame) ?? [];
    this.frames.push({ event, data: JSON.parse(data) });
    return this.reads;
  }

  end(): void {
    this.ended = true;
  }
}

let clocks: HeldClocks;
let registry: Registry;
let hub: LiveHub;
let due: (() => void) | undefined;
let lookMs: number;
let looks: number;
beforeEach(() => {
  clocks = new HeldClocks();
  const now = () => ({ awakeMs: clocks.monoMs(), bootMs: clocks.bootMs(), wallMs: clocks.wallMs() });
  registry = new Registry(makePolicy(), now());
  due = undefined;
  lookMs = 0;
  looks = 0;
  const board = new LiveBoard({ registry: () => registry, now, told: new ToldIndex(new MemoryStore()) });
  const look = board.look.bind(board);
  board.look = () => {
    looks++;
    clocks.advance(lookMs);
    look();
  };
  hub = new LiveHub({
    board,
    detector: () => detector,
    after: (_ms, work) => {
      due = work;
      return () => {
        due = undefined;
      };
    },
    monoMs: () => clocks.monoMs(),
    wallMs: () => clocks.wallMs(),
    onError: (error) => {
      throw error;
    },
  });
});

function hear(agent: ScriptedAgent, quietMs = 0): void {
  const now = { awakeMs: clocks.monoMs(), bootMs: clocks.bootMs(), wallMs: clocks.wallMs() };
  agent.a = clocks.monoMs();
  registry.receive(agent.says({ name: 'heartbeat' }, quietMs), 'direct', now);
  registry.receive(agent.beat(), 'direct', now);
  registry.judge(now);
  hub.moved();
}

/** The timer of the hub fires. */
function round(ms = 250): void {
  clocks.advance(ms);
  const work = due;
  due = undefined;
  work?.();
}

const ids = (rows: readonly LiveRow[] = []): string[] => rows.map(({ id }) => id);

test('a snapshot first, then only what changed; heartbeats that say nothing new are no change', () => {
  const agent = new ScriptedAgent('a');
  hear(agent);
  const reader = new Reader();
  hub.watch({ query: { limit: 10 } }, reader);
  expect(reader.frames.map(({ event }) => event)).toEqual(['snapshot']);
  expect(ids(liveSnapshot.parse(reader.frames[0]?.data).rows)).toEqual(['a']);
  for (let second = 0; second < 5; second++) {
    clocks.advance(750);
    hear(agent);
    round();
  }
  expect(reader.frames.filter(({ event }) => event === 'change')).toEqual([]);
  hear(new ScriptedAgent('b'));
  round();
  const change = liveChange.parse(reader.frames.at(-1)?.data);
  expect([ids(change.rows), change.gone, change.matching]).toEqual([['b'], [], 2]);
});

test('a silence is one row: its beginning is sent, and the screen counts', () => {
  const agent = new ScriptedAgent('a');
  hear(agent);
  const reader = new Reader();
  hub.watch({ query: { limit: 10 } }, reader);
  for (let second = 1; second <= 20; second++) {
    clocks.advance(750);
    hear(agent, clocks.monoMs());
    round();
  }
  const changes = reader.frames.filter(({ event }) => event === 'change');
  expect(changes).toHaveLength(1);
  expect(changes[0]?.data.rows[0]?.silence.since).toBe(
    new Date(clocks.wallMs() - clocks.monoMs()).toISOString(),
  );
});

test('a clock stands still when no heartbeat proves it any more', () => {
  const agent = new ScriptedAgent('a');
  hear(agent);
  clocks.advance(20_000);
  hear(agent, 20_000);
  const reader = new Reader();
  hub.watch({ query: { limit: 10 } }, reader);
  clocks.advance(4000);
  hub.moved();
  round();
  const row = reader.frames.at(-1)?.data.rows[0];
  expect(row).toMatchObject({ hearing: 'quiet', silence: { ms: 20_000, since: null } });
});

test('a page that does not read costs one frame, and then gets the newest state', () => {
  const agents = Array.from({ length: 50 }, (_, index) => new ScriptedAgent(`t${index}`));
  for (const agent of agents) hear(agent);
  const reader = new Reader();
  reader.reads = false;
  const watching = hub.watch({ query: { limit: 100 } }, reader);
  for (let turn = 0; turn < 30; turn++) {
    hear(new ScriptedAgent(`late-${turn}`));
    round(10);
  }
  expect(reader.frames).toHaveLength(1);
  reader.reads = true;
  watching.drained();
  round();
  expect(reader.frames).toHaveLength(2);
  expect(reader.frames[1]?.data.rows).toHaveLength(30);
});

test('a page that never reads is given up', () => {
  hear(new ScriptedAgent('a'));
  const reader = new Reader();
  reader.reads = false;
  hub.watch({ query: { limit: 10 } }, reader);
  round(59_000);
  expect(reader.ended).toBe(false);
  round(1000);
  expect(reader.ended).toBe(true);
});

test('of many thousands the most urgent are sent, and the rest is counted', () => {
  for (let turn = 0; turn < 3000; turn++) hear(new ScriptedAgent(`t${turn}`));
  const stalls = new ScriptedAgent('stalls');
  hear(stalls);
  clocks.advance(800_000);
  hear(stalls, 800_000);
  const reader = new Reader();
  hub.watch({ query: { limit: 100 } }, reader);
  const { rows, matching, counts } = reader.frames[0]?.data ?? { rows: [] };
  expect([rows.length, matching, rows[0]?.id, counts?.stale]).toEqual([100, 3001, 'stalls', 1]);
});

test('a beat where nothing has changed, so that a page knows that it is live', () => {
  const reader = new Reader();
  hub.watch({ query: { limit: 10 } }, reader);
  for (let quarter = 0; quarter < 24; quarter++) round();
  expect(reader.frames.map(({ event }) => event)).toEqual(['snapshot', 'beat', 'beat', 'beat']);
});

test('nobody watches: no timer runs; a stop ends every stream', () => {
  const reader = new Reader();
  const first = hub.watch({ query: { limit: 10 } }, new Reader());
  first.stop();
  expect(due).toBeUndefined();
  hub.watch({ query: { limit: 10 } }, reader);
  expect(due).toBeDefined();
  hub.close();
  expect([reader.ended, hub.full, due]).toEqual([true, true, undefined]);
});

test('where a look takes long, those who come at once share it', () => {
  lookMs = 200;
  const ask = (): number => {
    hub.moved();
    return hub.once({ query: { limit: 10 } }).matching;
  };
  hear(new ScriptedAgent('t1'));
  expect(ask()).toBe(1);
  hear(new ScriptedAgent('t2'));
  for (let again = 0; again < 50; again++) expect(ask()).toBe(1);
  hub.watch({ query: { limit: 10 } }, new Reader());
  expect(looks).toBe(1);
  clocks.advance(2000);
  expect(ask()).toBe(2);
  expect(looks).toBe(2);
});
