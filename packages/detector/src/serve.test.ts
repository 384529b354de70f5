import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from './config/load.ts';
import type { DetectorConfigInput } from './config/schema.ts';
import { silentLogger } from './logger.ts';
import { serve } from './serve.ts';
import { ChildDetector } from './testing/child-detector.ts';
import { hasty } from './testing/running-detector.ts';
import { post, ScriptedAgent } from './testing/scripted-agent.ts';
import { WebhookSink } from './testing/webhook-sink.ts';

// Real processes, real clocks, a real file: what a crash and a restart do to a verdict.

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
let directory: string;
let sink: WebhookSink;
const children: ChildDetector[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'turnwatch-serve-'));
  sink = new WebhookSink();
});
afterEach(async () => {
  for (const child of children.splice(0)) await child.end('SIGKILL');
  await sink.close();
  rmSync(directory, { recursive: true });
});

async function start(hookUrl: string, more: DetectorConfigInput = {}): Promise<ChildDetector> {
  const file = join(directory, 'turnwatch.json');
  const detector: DetectorConfigInput = {
    listen: { port: 0 },
    store: { file: join(directory, 'turnwatch.db') },
    policy: hasty,
    endpoints: [{ id: 'parent', url: hookUrl, secret }],
    ...more,
  };
  writeFileSync(file, JSON.stringify({ detector }));
  const child = await ChildDetector.start(file);
  children.push(child);
  return child;
}

/** A turn whose newest heartbeat proves three seconds of silence; acknowledged means the verdict is in the store. */
async function stall({ url }: ChildDetector): Promise<void> {
  const agent = new ScriptedAgent('t1', { parentId: 'planner' });
  agent.a = 1000;
  const started = agent.says({ name: 'started' });
  agent.a = 4000;
  const response = await post(url, [started, agent.says({ name: 'heartbeat' }, 3000)]);
  expect(response.status).toBe(200);
  expect(await (await fetch(`${url}/v1/turns/t1`)).json()).toMatchObject({ state: 'stale' });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('kill -9', () => {
  test('w096: between verdict and POST: the event is delivered once after the restart', async () => {
    const port = await freePort();
    const hook = `http://127.0.0.1:${port}/hook`;
    const first = await start(hook);
    await stall(first);
    await first.end('SIGKILL');
    await sink.listen(port);
    const { url } = await start(hook);
    const [event] = await sink.until(1);
    expect(await (await fetch(`${url}/v1/turns/t1`)).json()).toMatchObject({ state: 'stale' });
    expect(JSON.parse(event?.body ?? '')).toMatchObject({ id: event?.id, type: 'turn.stale', subject: 't1' });
    // A graceful stop drains what is due: nothing else is.
    await children[1]?.end('SIGTERM');
    expect(sink.received).toHaveLength(1);
  });

  test('w213: between POST and answer: the same id and the same bytes come again', async () => {
    await sink.listen();
    sink.answer = () => undefined;
    const first = await start(sink.url);
    await stall(first);
    await sink.until(1);
    await first.end('SIGKILL');
    sink.answer = (response) => void response.writeHead(204).end();
    const second = await start(sink.url);
    const [before, after] = await sink.until(2);
    expect(after?.id).toBe(before?.id);
    expect(after?.body).toBe(before?.body);
    await second.end('SIGTERM');
    expect(sink.received).toHaveLength(2);
  });

  test('w097: inside the transaction, between turn and event: none of both is kept, and it is told once after the restart', async () => {
    const file = join(directory, 'turnwatch.db');
    await sink.listen();
    const first = await start(sink.url);
    const agent = new ScriptedAgent('t1', { parentId: 'planner' });
    agent.a = 1000;
    expect((await post(first.url, [agent.says({ name: 'started' })])).status).toBe(200);
    // Turns are written before events: the verdict's transaction now stands still with the one and without the other.
    const other = new DatabaseSync(file, { timeout: 0 });
    other.exec(`CREATE TRIGGER stuck BEFORE INSERT ON outbox BEGIN
      SELECT count(*) FROM (WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c); END`);
    agent.a = 4000;
    const silent = agent.says({ name: 'heartbeat' }, 3000);
    const unanswered = post(first.url, [silent]).catch(() => undefined);
    await expect.poll(() => isLocked(other), { interval: 5 }).toBe(true);
    await first.end('SIGKILL');
    expect(await unanswered).toBeUndefined();

    other.exec('DROP TRIGGER stuck');
    const saved = String(other.prepare(`SELECT saved FROM turns WHERE id = 't1'`).get()?.saved);
    expect(saved).not.toContain('"stale"');
    expect(other.prepare('SELECT count(*) AS n FROM outbox').get()?.n).toBe(0);
    expect(other.prepare('SELECT count(*) AS n FROM events').get()?.n).toBe(0);
    other.close();
    const second = await start(sink.url);
    agent.a = 5000;
    const later = agent.says({ name: 'heartbeat' }, 4000);
    expect((await post(second.url, [silent, later])).status).toBe(200);
    await sink.until(1);
    await second.end('SIGTERM');
    expect(sink.received).toHaveLength(1);
  });
});

/** Whether another connection is in the middle of writing. */
function isLocked(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN IMMEDIATE');
  } catch (error) {
    if (error instanceof Error && /locked/.test(error.message)) return true;
    throw error;
  }
  database.exec('ROLLBACK');
  return false;
}

describe('stop', () => {
  test('SIGTERM: a verdict of the last moment is told, the exit code is 0', async () => {
    await sink.listen();
    const child = await start(sink.url);
    await stall(child);
    expect(await child.end('SIGTERM')).toBe(0);
    expect(child.output).toContain('STOPPED');
    expect(sink.received).toHaveLength(1);
  });

  test('SIGTERM with an endpoint that hangs: it ends all the same, and the event stays', async () => {
    await sink.listen();
    sink.answer = () => undefined;
    const child = await start(sink.url);
    await stall(child);
    await sink.until(1);
    expect(await child.end('SIGTERM')).toBe(0);
    sink.answer = (response) => void response.writeHead(204).end();
    await start(sink.url);
    const [before, after] = await sink.until(2);
    expect(after?.id).toBe(before?.id);
  });
});

describe('what stops a start, in one line and with exit code 1', () => {
  test('a taken port', async () => {
    const port = Number(new URL(await sink.listen()).port);
    await expect(start(sink.url, { listen: { port } })).rejects.toThrow(
      new RegExp(`exit code 1\\n[\\s\\S]*port ${port} on 127\\.0\\.0\\.1 is taken.*listen\\.port`),
    );
  });

  test('a damaged database, and after it is moved away the start works', async () => {
    await sink.listen();
    const file = join(directory, 'turnwatch.db');
    writeFileSync(file, 'no database at all, and long enough to be looked at'.repeat(100));
    await expect(start(sink.url)).rejects.toThrow(
      /exit code 1\n[\s\S]*turnwatch\.db: is damaged or no database .*--replace-corrupt-store/,
    );
    rmSync(file);
    expect((await fetch(`${(await start(sink.url)).url}/readyz`)).status).toBe(200);
  });

  test('a damaged database is moved aside where that is asked for', async () => {
    const file = join(directory, 'turnwatch.db');
    writeFileSync(file, 'no database at all, and long enough to be looked at'.repeat(100));
    const logged: string[] = [];
    const logger = { ...silentLogger, error: (_about: object, text: string) => void logged.push(text) };
    const { config } = loadConfig({ flags: { listen: { port: 0 }, store: { file } } });
    const { url, stop } = await serve(config, { logger, handleSignals: false, replaceCorruptStore: true });
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    await stop();
    expect(logged).toEqual([expect.stringContaining('was moved aside and an empty one is made')]);
    const aside = readdirSync(directory).filter((name) => name.includes('.corrupt-'));
    expect(aside).toHaveLength(1);
    expect(readFileSync(join(directory, aside[0] ?? ''), 'utf8')).toMatch(/^no database at all/);
  });

  test('a mistyped key', async () => {
    await sink.listen();
    const policy = { confrimRatio: 1 } as unknown as NonNullable<DetectorConfigInput['policy']>;
    await expect(start(sink.url, { policy })).rejects.toThrow(
      /detector\.policy\.confrimRatio: unknown key; did you mean confirmRatio\?/,
    );
  });
});

test('a start that fails when it listens already leaves nothing running or open', async () => {
  const port = await freePort();
  const { config } = loadConfig({
    flags: { listen: { port }, store: { file: join(directory, 'turnwatch.db') }, policy: hasty },
  });
  const failing = {
    ...silentLogger,
    info: (_fields: object, message: string) => {
      if (message === 'listening') throw new Error('the log is full');
    },
  };
  await expect(serve(config, { logger: failing, handleSignals: false })).rejects.toThrow('the log is full');
  await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
  const served = await serve(config, { logger: silentLogger, handleSignals: false });
  expect(served.port).toBe(port);
  await served.stop();
});
