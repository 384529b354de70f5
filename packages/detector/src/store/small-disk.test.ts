import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runDetector } from '../testing/running-detector.ts';
import { post, ScriptedAgent } from '../testing/scripted-agent.ts';
import { SmallDisk } from '../testing/small-disk.ts';
import { WebhookSink } from '../testing/webhook-sink.ts';
import { SqliteStore } from './sqlite-store.ts';

// Real file systems: full, or mounted in odd ways. Skipped, loudly, where mounting is not allowed.

const disk = SmallDisk.mount(16);
afterEach(() => disk?.free());
afterAll(() => disk?.unmount());

function theDisk(): SmallDisk {
  if (disk === undefined) throw new Error('there is no disk');
  return disk;
}

let file: string;
let runs = 0;
beforeEach(() => {
  file = join(disk?.path ?? '', `turnwatch-${runs++}.db`);
});

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Acknowledges starts until the store has no room left, though its journal may have had some. */
async function startsUntilRefused(url: string): Promise<Response> {
  for (let n = 0; n < 2000; n++) {
    const agent = new ScriptedAgent(`filler-${n}`, { agent: 'x'.repeat(200) });
    const response = await post(url, [agent.says({ name: 'started' })]);
    if (response.status !== 200) return response;
  }
  throw new Error('the disk has room for ever');
}

describe.skipIf(disk === undefined)('a disk', () => {
  test('that is full: 503 and when to try again, judging goes on, and all is told once when there is room', async () => {
    const sink = new WebhookSink();
    await sink.listen();
    const endpoints = [{ id: 'parent', url: sink.url, secret }];
    const running = await runDetector({ endpoints }, { store: SqliteStore.open(file) });
    const agent = new ScriptedAgent('t1', { parentId: 'planner' });
    agent.a = 1000;
    const started = agent.says({ name: 'started' }, 0, { expiresInMs: 1e9 });
    expect((await post(running.url, [started])).status).toBe(200);

    theDisk().fill();
    const refused = await startsUntilRefused(running.url);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await running.json('/healthz')).toMatchObject({
      status: 503,
      body: {
        store: { ok: false, error: expect.stringMatching(/full; make room, it goes on by itself/) },
        tick: { ok: true },
      },
    });
    expect((await running.json('/readyz')).status).toBe(503);
    agent.a = 4000;
    const silent = [agent.says({ name: 'heartbeat' }, 3000)];
    expect((await post(running.url, silent)).status).toBe(503);
    running.pass(30);
    expect(await running.json('/v1/turns/t1')).toMatchObject({ body: { state: 'stale' } });
    const seen = (): string[] =>
      running.store.eventsAfter(0, { managed: true, turn: 't1' }, 9).map(({ type }) => type);
    expect(seen()).toEqual([]);

    theDisk().free();
    running.pass(1);
    expect((await running.json('/healthz')).status).toBe(200);
    expect((await post(running.url, silent)).status).toBe(200);
    expect(seen()).toEqual(['turn.stale']);
    await sink.until(1);
    running.pass(5);
    await running.detector.stop();
    await sink.close();
    expect(sink.received.filter(({ body }) => JSON.parse(body).subject === 't1')).toHaveLength(1);
    const left = new DatabaseSync(file);
    expect(left.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    left.close();
  });

  test('that is full when it starts: it starts, says so, and goes on by itself', async () => {
    const first = await runDetector({}, { store: SqliteStore.open(file) });
    const agent = new ScriptedAgent('t1');
    expect((await post(first.url, [agent.says({ name: 'started' })])).status).toBe(200);
    await first.detector.stop();
    // A journal beside it, as after kill -9: then there is a place for its index too.
    const other = new DatabaseSync(file);
    other.exec('BEGIN; SELECT * FROM meta');
    theDisk().fill();
    const second = await runDetector({}, { store: SqliteStore.open(file) });
    expect(await second.json('/v1/turns/t1')).toMatchObject({ status: 200, body: { state: 'running' } });
    expect((await startsUntilRefused(second.url)).status).toBe(503);
    theDisk().free();
    second.pass(1);
    expect((await second.json('/readyz')).status).toBe(200);
    other.close();
    await second.detector.stop();
  });

  test('that is a single file, mounted: refused, since the journal would be left behind', () => {
    const directory = mkdtempSync(join(tmpdir(), 'turnwatch-bind-'));
    const place = join(directory, 'turnwatch one.db');
    SqliteStore.open(file).close();
    writeFileSync(place, '');
    const release = theDisk().bind(file, place);
    expect(() => SqliteStore.open(place)).toThrow(/is a mount by itself.*mount the directory/);
    release();
    rmSync(directory, { recursive: true });
  });
});
