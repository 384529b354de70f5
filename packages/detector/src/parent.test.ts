import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  abortOnExpired,
  createReceiver,
  fileStore,
  generateSecret,
  type Receiver,
  registerEndpoint,
  TurnExpiredError,
} from '@turnwatch/webhook/receive';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MemoryStore } from './store/memory-store.ts';
import { HeldClocks } from './testing/held-time.ts';
import { type RunningDetector, runDetector } from './testing/running-detector.ts';
import { jsonOf, ScriptedAgent } from './testing/scripted-agent.ts';

// A parent agent as its README has it, against a real detector: it registers itself, is woken, goes away and comes back.

const tokens = [
  { id: 'agents', token: 'agents-token-0123456789', scopes: ['ingest'] as const },
  { id: 'planner', token: 'planner-token-0123456789', scopes: ['subscribe'] as const, parent: 'planner' },
];
const token = 'planner-token-0123456789';

let running: RunningDetector;
let server: Server;
let heard: string[];
beforeEach(async () => {
  running = await runDetector({ tokens });
  heard = [];
});
afterEach(async () => {
  await running.detector.stop();
  await gone();
});

async function gone(): Promise<void> {
  if (server === undefined || !server.listening) return;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** Lets the parent listen; gives its address. */
async function come(receiver: Receiver, port = 0): Promise<string> {
  server = createServer(receiver.node);
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/turnwatch`;
}

async function send(signals: Parameters<typeof jsonOf>[0]): Promise<void> {
  const answer = await fetch(`${running.url}/v1/logs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer agents-token-0123456789' },
    body: jsonOf(signals),
  });
  expect(answer.status).toBe(200);
}

async function stall(turn: string, parentId = 'planner'): Promise<void> {
  const agent = new ScriptedAgent(turn, { parentId });
  agent.a = 1000;
  const started = agent.says({ name: 'started' }, 0, { expiresInMs: 1_000_000_000 });
  agent.a = 4000;
  await send([started, agent.says({ name: 'heartbeat' }, 3000)]);
}

// The receiver judges time stamps by the detector's clock, which the test holds.
const nowMs = (): number => running.clocks.wallMs();
const onStale = ({ data }: { data: { turn: { id: string } } }): void => void heard.push(data.turn.id);

describe('a parent that registers itself', () => {
  test('is told of its own turns and no others, until it takes its endpoint back', async () => {
    const secret = generateSecret();
    const url = await come(createReceiver({ secret, onStale, nowMs }));
    const registered = await registerEndpoint({
      detector: running.url,
      token,
      parent: 'planner',
      url,
      secret,
    });
    await stall('mine');
    await stall('theirs', 'other');
    await expect.poll(() => heard).toEqual(['mine']);
    expect(running.store.deliveries({}, undefined, 9)).toHaveLength(1);
    await registered.close();
    await registered.close();
    await stall('later');
    expect(running.store.deliveries({}, undefined, 9)).toHaveLength(1);
  });

  test('comes back with a new secret at the same address, and hears what waited for it, once', async () => {
    const first = generateSecret();
    const url = await come(createReceiver({ secret: first, onStale, nowMs }));
    const one = await registerEndpoint({
      detector: running.url,
      token,
      parent: 'planner',
      url,
      secret: first,
    });
    await stall('t1');
    await expect.poll(() => heard).toEqual(['t1']);
    await gone();
    await stall('t2');
    await expect.poll(() => running.store.deliveries({ turn: 't2' }, undefined, 9)[0]?.attempts).toBe(1);

    const second = generateSecret();
    await come(createReceiver({ secret: second, onStale, nowMs }), Number(new URL(url).port));
    const two = await registerEndpoint({
      detector: running.url,
      token,
      parent: 'planner',
      url,
      secret: second,
    });
    expect(two.id).toBe(one.id);
    running.pass(2);
    await expect.poll(() => heard).toEqual(['t1', 't2']);
  });

  test('a token of another parent cannot register for it', async () => {
    await expect(
      registerEndpoint({ detector: running.url, token, parent: 'other', url: 'https://a.example' }),
    ).rejects.toMatchObject({ status: 403, code: 'TURNWATCH_ERR_FORBIDDEN' });
  });
});

describe('a parent without an inbound port, or without a store', () => {
  test('catches up from its last cursor, with doubles of what it heard by webhook left out', async () => {
    await stall('t1');
    const receiver = createReceiver({ secret: generateSecret(), onStale, nowMs });
    const { cursor } = await receiver.catchUp({ detector: running.url, token, after: '0' });
    await stall('t2');
    await stall('theirs', 'other');
    await stall('t3');
    const next = createReceiver({ secret: generateSecret(), onStale, nowMs });
    expect(await next.catchUp({ detector: running.url, token, after: cursor })).toMatchObject({
      events: 2,
      missed: false,
    });
    expect(await next.catchUp({ detector: running.url, token, after: cursor })).toMatchObject({ events: 2 });
    expect(heard).toEqual(['t1', 't2', 't3']);
  });

  test('that was away for longer than events are kept is told that it missed some', async () => {
    for (const turn of ['t1', 't2', 't3']) await stall(turn);
    running.store.purgeEvents(0, 1);
    const receiver = createReceiver({ secret: generateSecret(), onStale, nowMs });
    expect(await receiver.catchUp({ detector: running.url, token, after: '1' })).toMatchObject({
      missed: true,
    });
    expect(heard).toEqual(['t3']);
  });
});

test('events that waited in the parent’s own file are run after its restart', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'turnwatch-parent-'));
  const path = join(directory, 'events.jsonl');
  const secret = generateSecret();
  const store = fileStore(path, { nowMs });
  const hangs = createReceiver({
    secret,
    nowMs,
    store,
    onStale: () => new Promise(() => undefined),
  });
  const url = await come(hangs);
  await registerEndpoint({ detector: running.url, token, parent: 'planner', url, secret });
  await stall('t1');
  await expect.poll(() => hangs.stats().accepted).toBe(1);
  await gone();
  await store.close();
  const reopened = fileStore(path, { nowMs });
  const next = createReceiver({ secret, nowMs, store: reopened, onStale });
  expect([await next.recovered(), heard]).toEqual([1, ['t1']]);
  await reopened.close();
  rmSync(directory, { recursive: true });
});

test('abortOnExpired: the agent’s own controller fires when the turn’s horizon has passed', async () => {
  const controllers = new Map([['t1', new AbortController()]]);
  const signal = controllers.get('t1')?.signal;
  const secret = generateSecret();
  const url = await come(createReceiver({ secret, nowMs, onExpired: abortOnExpired(controllers) }));
  await registerEndpoint({ detector: running.url, token, parent: 'planner', url, secret });
  const agent = new ScriptedAgent('t1', { parentId: 'planner' });
  agent.a = 1000;
  await send([agent.says({ name: 'started' }, 0, { expiresInMs: 1500 })]);
  running.pass(2);
  await expect.poll(() => signal?.aborted).toBe(true);
  expect(signal?.reason).toBeInstanceOf(TurnExpiredError);
});

test('what was registered and told outlives a restart of the detector', async () => {
  const store = new MemoryStore();
  const clocks = new HeldClocks();
  await running.detector.stop();
  running = await runDetector({ tokens }, { store, clocks });
  const secret = generateSecret();
  const url = await come(createReceiver({ secret, onStale, nowMs }));
  await registerEndpoint({ detector: running.url, token, parent: 'planner', url, secret });
  await running.detector.stop();
  running = await runDetector({ tokens }, { store, clocks });
  await stall('t1');
  await expect.poll(() => heard).toEqual(['t1']);
});
