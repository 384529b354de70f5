import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EndpointInput } from './config/endpoint-schema.ts';
import { ListenError } from './http/listen.ts';
import { MemoryStore } from './store/memory-store.ts';
import { SqliteStore } from './store/sqlite-store.ts';
import type { Commit } from './store/turn-store.ts';
import { HeldClocks } from './testing/held-time.ts';
import { type RunningDetector, runDetector } from './testing/running-detector.ts';
import { post, ScriptedAgent } from './testing/scripted-agent.ts';
import { WebhookSink } from './testing/webhook-sink.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const endpoint = (url: string, more: Partial<EndpointInput> = {}): EndpointInput => ({
  id: 'parent',
  url,
  secret,
  ...more,
});

/** A store whose disk is full while the test says so. */
class FullDisk extends MemoryStore {
  full = false;

  override commit(commit: Commit): void {
    if (this.full) throw new Error('database or disk is full');
    super.commit(commit);
  }
}

let directory: string;
let sink: WebhookSink;
const started: RunningDetector[] = [];
const run: typeof runDetector = async (...given) => {
  const running = await runDetector(...given);
  started.push(running);
  return running;
};
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'turnwatch-detector-'));
  sink = new WebhookSink();
  await sink.listen();
});
afterEach(async () => {
  for (const { detector } of started.splice(0)) await detector.stop();
  await sink.close();
  rmSync(directory, { recursive: true });
});

/** A turn that is seen working and then, by its next heartbeat, has been silent for two seconds. */
async function stall(running: RunningDetector, agent: ScriptedAgent): Promise<void> {
  agent.a += 1000;
  expect((await post(running.url, [agent.says({ name: 'started' })])).status).toBe(200);
  running.clocks.advance(2000);
  agent.a += 2000;
  expect((await post(running.url, [agent.says({ name: 'heartbeat' }, 2000)])).status).toBe(200);
}

describe('from record to parent', () => {
  test('a turn that stops is told once, signed, when its heartbeat proves the silence', async () => {
    const running = await run({ endpoints: [endpoint(sink.url)] });
    const agent = new ScriptedAgent('t1', { parentId: 'planner' });
    await stall(running, agent);
    const [received] = await sink.until(1);
    const body = JSON.parse(received?.body ?? '');
    expect(body).toMatchObject({
      type: 'turn.stale',
      subject: 't1',
      source: 'urn:turnwatch:detector:local',
      data: {
        turn: { id: 't1', parentId: 'planner' },
        stale: { reason: 'silence', silenceMs: 2000, thresholdMs: 1000 },
        links: { turn: `${running.url}/v1/turns/t1` },
      },
    });
    expect(received?.id).toBe(body.id);
    expect(received?.headers['webhook-signature']).toMatch(/^v1,/);
    expect(await running.json('/v1/turns/t1')).toMatchObject({
      body: { state: 'stale', stale: true, reason: 'silence' },
    });

    agent.a += 5000;
    await post(running.url, [agent.says({ name: 'heartbeat' }, 7000)]);
    running.pass(5);
    expect(running.events.map(({ type }) => type)).toEqual(['turn.stale']);
    expect(sink.received).toHaveLength(1);
  });

  test('a backlog is merged whole before anything is judged', async () => {
    const running = await run();
    const agent = new ScriptedAgent('t1');
    const signals = [agent.says({ name: 'started' })];
    for (const quietMs of [0, 900, 5000]) {
      agent.a += 5000;
      signals.push(agent.says({ name: 'heartbeat' }, quietMs));
    }
    agent.a += 100;
    signals.push(agent.says({ name: 'heartbeat' }, 0));
    await post(running.url, signals);
    expect(running.events).toEqual([]);
  });

  test('a horizon expires the turn at the tick after it', async () => {
    const running = await run({ endpoints: [endpoint(sink.url)] });
    const agent = new ScriptedAgent('t1');
    await post(running.url, [agent.says({ name: 'started' }, 0, { expiresInMs: 3500 })]);
    running.pass(3);
    expect(running.events).toEqual([]);
    running.pass(1);
    expect(running.events).toMatchObject([{ type: 'turn.expired', turn: 't1' }]);
    expect(JSON.parse((await sink.until(1))[0]?.body ?? '')).toMatchObject({ type: 'turn.expired' });
  });

  test('w218: a turn that somebody else manages wakes nobody, and shows in the API and the metrics', async () => {
    const running = await run({ endpoints: [endpoint(sink.url)] });
    const agent = new ScriptedAgent('t1', { managedBy: 'supervisor', parentId: 'planner' });
    await post(running.url, [agent.says({ name: 'started' }, 0, { expiresInMs: 20_000 })]);
    await stall(running, agent);
    expect(running.events).toMatchObject([{ type: 'turn.stale', tellsParent: false }]);
    expect(await running.json('/v1/turns?state=stale')).toMatchObject({ body: { turns: [{ id: 't1' }] } });
    running.pass(30);
    expect(running.events).toMatchObject([
      { type: 'turn.stale' },
      { type: 'turn.expired', tellsParent: false },
    ]);
    expect(await running.json('/v1/turns/t1')).toMatchObject({ body: { state: 'expired' } });
    expect(running.store.deliveries({}, undefined, 9)).toEqual([]);
    const metrics = await (await fetch(`${running.url}/metrics`)).text();
    expect(metrics).toMatch(/^turnwatch_turn_verdicts_total\{[^}]*reason="silence".* 1$/m);
    expect(metrics).toMatch(/^turnwatch_turn_expired_total\{state="stale".* 1$/m);
    expect(sink.received).toEqual([]);
  });

  test('an endpoint with a match gets what is for it, the default one gets the rest', async () => {
    const other = new WebhookSink();
    await other.listen();
    const running = await run({
      endpoints: [endpoint(sink.url, { match: { agent: 'w1' } }), endpoint(other.url, { id: 'default' })],
    });
    await stall(running, new ScriptedAgent('t1', { agent: 'w1' }));
    await stall(running, new ScriptedAgent('t2', { agent: 'w2' }));
    expect(JSON.parse((await sink.until(1))[0]?.body ?? '').subject).toBe('t1');
    expect(JSON.parse((await other.until(1))[0]?.body ?? '').subject).toBe('t2');
    expect([sink.received.length, other.received.length]).toEqual([1, 1]);
    await other.close();
  });

  test('the canary comes back through the real door: a process that falls silent is told, not the source', async () => {
    const running = await run({
      policy: { unreachableMs: { server: 12_000, portable: 12_000 }, defaultThresholdMs: { agent: 900_000 } },
    });
    const agent = new ScriptedAgent('t1');
    await post(running.url, [agent.beat(), agent.says({ name: 'started' })]);
    for (let second = 0; second < 30 && running.events.length === 0; second++) {
      running.pass(1);
      // The probe of this second travels over a real socket.
      await expect
        .poll(
          async () =>
            (await (await fetch(`${running.url}/metrics`)).text()).match(
              /^turnwatch_canary_age_seconds\S* (\d+)/m,
            )?.[1],
        )
        .toBe('0');
    }
    expect(running.events).toMatchObject([{ type: 'turn.stale', stale: { reason: 'process_unreachable' } }]);
  });
});

describe('restart', () => {
  test('goes on: a verdict is not made twice, an open turn is still known, clocks go on', async () => {
    const clocks = new HeldClocks();
    const file = join(directory, 'a.db');
    const first = await run({ endpoints: [endpoint(sink.url)] }, { clocks, store: SqliteStore.open(file) });
    const agent = new ScriptedAgent('t1');
    await stall(first, agent);
    await post(first.url, [new ScriptedAgent('t2').says({ name: 'started' })]);
    await sink.until(1);
    await first.detector.stop();

    const second = await run({ endpoints: [endpoint(sink.url)] }, { clocks, store: SqliteStore.open(file) });
    expect(await second.json('/v1/turns/t1')).toMatchObject({ body: { state: 'stale' } });
    expect(await second.json('/v1/turns/t2')).toMatchObject({ body: { state: 'running' } });
    agent.a += 1000;
    await post(second.url, [agent.says({ name: 'heartbeat' }, 3000)]);
    second.pass(3);
    expect(second.events).toEqual([]);
    // Its next episode is a new event, with a later sequence.
    agent.a += 1000;
    await post(second.url, [agent.says({ name: 'heartbeat' }, 0)]);
    expect(second.events).toMatchObject([{ type: 'turn.recovered' }]);
    const sequences = (await sink.until(2)).map(({ body }) => JSON.parse(body).sequence);
    expect(sequences).toEqual([...sequences].sort());
    expect(new Set(sequences).size).toBe(2);
  });

  test('horizons that passed meanwhile expire at once and once', async () => {
    const clocks = new HeldClocks();
    const file = join(directory, 'a.db');
    const first = await run({}, { clocks, store: SqliteStore.open(file) });
    await post(first.url, [
      new ScriptedAgent('gone').says({ name: 'started' }, 0, { expiresInMs: 60_000 }),
      new ScriptedAgent('still good').says({ name: 'started' }, 0, { expiresInMs: 900_000 }),
    ]);
    await first.detector.stop();
    clocks.advance(600_000);
    const second = await run({}, { clocks, store: SqliteStore.open(file) });
    expect(second.events).toMatchObject([{ type: 'turn.expired', turn: 'gone' }]);
    second.pass(3);
    await second.detector.stop();
    const third = await run({}, { clocks, store: SqliteStore.open(file) });
    third.pass(3);
    expect(second.events.length + third.events.length).toBe(1);
  });

  test('an event that nobody could be told is told after the restart, with the same bytes', async () => {
    const clocks = new HeldClocks();
    const file = join(directory, 'a.db');
    sink.answer = (response) => void response.writeHead(500).end();
    const first = await run({ endpoints: [endpoint(sink.url)] }, { clocks, store: SqliteStore.open(file) });
    await stall(first, new ScriptedAgent('t1'));
    await sink.until(1);
    await first.detector.stop();
    sink.answer = (response) => void response.writeHead(204).end();
    clocks.advance(60_000);
    const before = sink.received.length;
    const second = await run({ endpoints: [endpoint(sink.url)] }, { clocks, store: SqliteStore.open(file) });
    await sink.until(before + 1);
    second.pass(2);
    const [one, two] = [sink.received[0], sink.received.at(-1)];
    expect(two?.body).toBe(one?.body);
    expect(two?.id).toBe(one?.id);
    expect(second.events).toEqual([]);
  });

  test('settled turns are forgotten after their retention, in memory and on disk', async () => {
    const store = new MemoryStore();
    const running = await run({ retention: { settledTurnsMs: 30_000 } }, { store });
    const agent = new ScriptedAgent('t1');
    await post(running.url, [agent.says({ name: 'started' })]);
    await post(running.url, [agent.says({ name: 'ended', outcome: 'completed' })]);
    expect(store.load().turns).toHaveLength(1);
    running.pass(60);
    expect((await running.json('/v1/turns/t1')).status).toBe(404);
    expect(store.load().turns).toEqual([]);
  });
});

describe('a store that fails', () => {
  test('nothing is acknowledged that is not kept; it is written and told once it works again', async () => {
    const store = new FullDisk();
    const running = await run({ endpoints: [endpoint(sink.url)] }, { store });
    const agent = new ScriptedAgent('t1');
    agent.a = 1000;
    store.full = true;
    const batch = [agent.says({ name: 'started' })];
    const refused = await post(running.url, batch);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await running.json('/healthz')).toMatchObject({
      status: 503,
      body: { store: { ok: false, error: 'database or disk is full' } },
    });
    expect((await running.json('/readyz')).status).toBe(503);

    // The same batch again holds nothing new, and is still not acknowledged.
    expect((await post(running.url, batch)).status).toBe(503);
    running.clocks.advance(2000);
    agent.a += 2000;
    expect((await post(running.url, [agent.says({ name: 'heartbeat' }, 2000)])).status).toBe(503);
    expect(running.events).toEqual([]);
    expect(store.load().turns).toEqual([]);

    store.full = false;
    running.pass(1);
    expect(running.events).toMatchObject([{ type: 'turn.stale' }]);
    expect(store.load().turns).toHaveLength(1);
    expect((await post(running.url, batch)).status).toBe(200);
    expect((await running.json('/healthz')).status).toBe(200);
    await sink.until(1);
    running.pass(3);
    expect(sink.received).toHaveLength(1);
  });

  test('a database that was moved away under it: nothing more is acknowledged, until it is back', async () => {
    const file = join(directory, 'moved.db');
    const running = await run({}, { store: SqliteStore.open(file) });
    const agent = new ScriptedAgent('t1');
    expect((await post(running.url, [agent.says({ name: 'started' })])).status).toBe(200);
    renameSync(file, `${file}.elsewhere`);
    expect((await post(running.url, [new ScriptedAgent('t2').says({ name: 'started' })])).status).toBe(503);
    const register = await fetch(`${running.url}/v1/endpoints`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url: 'https://parent.example/hook' }),
    });
    expect([register.status, register.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await running.json('/healthz')).toMatchObject({
      status: 503,
      body: {
        store: { error: expect.stringContaining('was removed or moved while the detector has it open') },
      },
    });
    renameSync(`${file}.elsewhere`, file);
    running.pass(1);
    expect((await running.json('/healthz')).status).toBe(200);
    expect(running.store.load().turns).toHaveLength(2);
  });

  test('a real database that another program has locked', async () => {
    const file = join(directory, 'a.db');
    const store = SqliteStore.open(file);
    const running = await run({}, { store });
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    const agent = new ScriptedAgent('t1');
    expect((await post(running.url, [agent.says({ name: 'started' })])).status).toBe(503);
    expect(await running.json('/healthz')).toMatchObject({
      status: 503,
      body: {
        store: { ok: false, error: expect.stringMatching(/^database is locked; .*goes on by itself/) },
      },
    });
    expect(store.load().turns).toEqual([]);
    other.exec('ROLLBACK');
    other.close();
    running.pass(1);
    expect(store.load().turns).toHaveLength(1);
    expect((await running.json('/healthz')).status).toBe(200);
  });
});

describe('start and stop', () => {
  test('a taken port is named, with the way out; the store stays usable', async () => {
    const first = await run();
    const error = await runDetector({ listen: { port: first.port } }).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ListenError);
    expect((error as ListenError).message).toContain(`port ${first.port} on 127.0.0.1 is taken`);
    expect((error as ListenError).message).toContain('TURNWATCH_LISTEN_PORT');
  });

  test('a host that is not this machine', async () => {
    await expect(runDetector({ listen: { host: '192.0.2.1', allowRemote: true } })).rejects.toThrow(
      /is no address of this machine/,
    );
  });

  test('stop keeps what came last, tells what is due, and refuses what comes later', async () => {
    const store = new MemoryStore();
    const running = await run({ endpoints: [endpoint(sink.url)] }, { store });
    const agent = new ScriptedAgent('t1');
    await stall(running, agent);
    await running.detector.stop();
    await running.detector.stop();
    expect(sink.received).toHaveLength(1);
    expect(store.load().rest).toBeDefined();
    await expect(fetch(running.url)).rejects.toThrow();
  });

  test('a listener that throws changes nothing', async () => {
    const running = await run(
      {},
      {
        onEvent: () => {
          throw new Error('the screen is gone');
        },
      },
    );
    await stall(running, new ScriptedAgent('t1'));
    expect(await running.json('/v1/turns/t1')).toMatchObject({ body: { state: 'stale' } });
  });
});
