import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Timers } from './clocks.ts';
import { MemoryStore } from './store/memory-store.ts';
import type { Commit } from './store/turn-store.ts';
import { heldTimers } from './testing/held-time.ts';
import { type RunningDetector, runDetector } from './testing/running-detector.ts';
import { post, ScriptedAgent } from './testing/scripted-agent.ts';
import { WebhookSink } from './testing/webhook-sink.ts';

// From verdict to POST: how often, through an outage, and under load.

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
let sink: WebhookSink;
let running: RunningDetector;
beforeEach(async () => {
  sink = new WebhookSink();
  await sink.listen();
});
afterEach(async () => {
  await running.detector.stop();
  await sink.close();
});

/** What waits for time to pass, a poll, a retry or a limit, waits for ever. */
const onlySoon: Timers = {
  ...heldTimers,
  after: (ms, work) => (ms > 0 ? () => undefined : heldTimers.after(ms, work)),
};

const endpoints = () => [{ id: 'parent', url: sink.url, secret }];

/** Its newest heartbeat proves three seconds of silence. */
async function fallsSilent(agent: ScriptedAgent): Promise<number> {
  agent.a += 4000;
  return (await post(running.url, [agent.says({ name: 'heartbeat' }, 3000)])).status;
}

async function works(agent: ScriptedAgent): Promise<void> {
  agent.a += 100;
  expect((await post(running.url, [agent.says({ name: 'step' }, 0)])).status).toBe(200);
}

function typesOf(turn: string): string[] {
  return sink.received
    .map(({ body }) => JSON.parse(body) as { subject: string; type: string })
    .filter(({ subject }) => subject === turn)
    .map(({ type }) => type);
}

test('w106: one event an episode, over a thousand ticks: none repeated, none swallowed by another of its parent', async () => {
  running = await runDetector({ endpoints: endpoints() });
  const a = new ScriptedAgent('A', { parentId: 'planner' });
  const b = new ScriptedAgent('B', { parentId: 'planner' });
  for (const agent of [a, b]) {
    agent.a = 1000;
    await post(running.url, [agent.says({ name: 'started' }, 0, { expiresInMs: 1_000_000_000 })]);
  }
  await fallsSilent(a);
  running.pass(250);
  await works(a);
  running.pass(250);
  await fallsSilent(a);
  await fallsSilent(b);
  running.pass(500);
  await sink.until(4);
  expect(typesOf('A')).toEqual(['turn.stale', 'turn.recovered', 'turn.stale']);
  expect(typesOf('B')).toEqual(['turn.stale']);
  expect(new Set(sink.received.map(({ id }) => id)).size).toBe(4);
  const episodes = sink.received
    .map(({ body }) => JSON.parse(body))
    .filter(({ type }) => type === 'turn.stale')
    .map(({ subject, data }) => `${subject}/${data.stale.episode}`);
  expect(episodes.sort()).toEqual(['A/1', 'A/2', 'B/1']);
  await expect.poll(() => running.store.backlog()).toEqual(new Map());
});

test('w099: a store that refuses writes for 75 min: three verdicts are told once each when it is back', async () => {
  class FullDisk extends MemoryStore {
    full = false;
    override commit(commit: Commit): void {
      if (this.full) throw new Error('database or disk is full');
      super.commit(commit);
    }
  }
  const store = new FullDisk();
  running = await runDetector({ endpoints: endpoints() }, { store });
  const agents = ['t1', 't2', 't3'].map((turn) => new ScriptedAgent(turn));
  for (const agent of agents) {
    agent.a = 1000;
    await post(running.url, [agent.says({ name: 'started' }, 0, { expiresInMs: 1_000_000_000 })]);
  }
  store.full = true;
  running.pass(5);
  const since = (await running.json('/healthz')) as unknown as {
    status: number;
    body: { store: { failingSince: string } };
  };
  expect(since.status).toBe(503);
  for (const agent of agents) {
    expect(await fallsSilent(agent)).toBe(503);
    running.clocks.advance(25 * 60_000);
    running.pass(10);
  }
  expect(sink.received).toEqual([]);
  expect(await running.json('/healthz')).toMatchObject({
    status: 503,
    body: { store: { ok: false, failingSince: since.body.store.failingSince } },
  });
  store.full = false;
  running.pass(1);
  await sink.until(3);
  running.pass(20);
  expect((await running.json('/healthz')).status).toBe(200);
  expect(sink.received.map(({ body }) => JSON.parse(body).subject).sort()).toEqual(['t1', 't2', 't3']);
});

describe('w215: a thousand verdicts in one second', () => {
  test('all are posted before any time has passed: none waits for a tick, a poll or a retry', async () => {
    // Of many parents, so that many are on their way at a time: one after another they wait for a busy machine each.
    const parents = Array.from({ length: 20 }, (_, n) => `p${n}`);
    const each = parents.map((parent) => ({ id: parent, url: sink.url, secret, match: { parent } }));
    running = await runDetector({ endpoints: each }, { timers: onlySoon });
    const agents = Array.from(
      { length: 1000 },
      (_, n) => new ScriptedAgent(`t${n}`, { parentId: `p${n % parents.length}` }),
    );
    for (const agent of agents) agent.a = 1000;
    await post(
      running.url,
      agents.map((agent) => agent.says({ name: 'started' })),
    );
    for (const agent of agents) agent.a = 4000;
    const answer = await post(
      running.url,
      agents.map((agent) => agent.says({ name: 'heartbeat' }, 3000)),
    );
    expect(answer.status).toBe(200);
    await sink.until(1000);
    // The detector's clock has stood still all the time.
    expect(new Set(sink.received.map(({ id }) => id)).size).toBe(1000);
    const made = new Set(sink.received.map(({ headers }) => headers['webhook-timestamp']));
    expect(made).toEqual(new Set([String(Math.floor(running.clocks.wallMs() / 1000))]));
  });
});
