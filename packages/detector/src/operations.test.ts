import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DetectorConfigInput } from './config/schema.ts';
import { ChildDetector } from './testing/child-detector.ts';
import { hasty } from './testing/running-detector.ts';
import { post, ScriptedAgent } from './testing/scripted-agent.ts';
import { WebhookSink } from './testing/webhook-sink.ts';

// Real processes: what whoever runs the detector does to it, and what it says to that.

const secret = (fill: number): string => `whsec_${Buffer.alloc(32, fill).toString('base64')}`;
let directory: string;
let sink: WebhookSink;
const children: ChildDetector[] = [];
const sockets: Socket[] = [];
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'turnwatch-operations-'));
  sink = new WebhookSink();
  await sink.listen();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const child of children.splice(0)) await child.end('SIGKILL');
  await sink.close();
  rmSync(directory, { recursive: true });
});

const file = (): string => join(directory, 'turnwatch.json');

function write(more: DetectorConfigInput = {}): void {
  const detector: DetectorConfigInput = {
    listen: { port: 0 },
    store: 'memory',
    policy: hasty,
    endpoints: [{ id: 'parent', url: sink.url, secret: secret(7) }],
    ...more,
  };
  writeFileSync(file(), JSON.stringify({ detector }));
}

async function start(environment: Readonly<Record<string, string>> = {}): Promise<ChildDetector> {
  const child = await ChildDetector.start(file(), environment);
  children.push(child);
  return child;
}

/** A turn whose newest heartbeat proves three seconds of silence. */
function stall({ url }: ChildDetector, turn = 't1'): Promise<Response> {
  const agent = new ScriptedAgent(turn, { parentId: 'planner' });
  agent.a = 1000;
  const started = agent.says({ name: 'started' });
  agent.a = 4000;
  return post(url, [started, agent.says({ name: 'heartbeat' }, 3000)]);
}

describe('SIGHUP', () => {
  test('takes up what can change while running, says each key, and names what needs a restart', async () => {
    write({ endpoints: [], log: { level: 'warn' } });
    const child = await start();
    write({
      policy: { ...hasty, minSamples: 5 },
      log: { level: 'info' },
      tokens: [{ id: 'ops', token: 'a-token-of-enough-characters', scopes: ['admin'] }],
      source: 'elsewhere',
    });
    child.signal('SIGHUP');
    await child.prints(/the configuration was reloaded/);
    const lines = child.output
      .split('\n')
      .filter((line) => line.includes('"key"'))
      .map((line) => JSON.parse(line) as { key: string; from: string; to: string; msg: string });
    const said = Object.fromEntries(lines.map(({ key, from, to, msg }) => [key, `${from} -> ${to}, ${msg}`]));
    expect(said['detector.policy.minSamples']).toBe('not set -> 5, a key was changed');
    expect(said['detector.endpoints.parent.secrets']).toBe('not set -> (secret), a key was changed');
    expect(said['detector.tokens.ops.sha256']).toBe('not set -> (secret), a key was changed');
    expect(said['detector.source']).toBe(
      '"local" -> "elsewhere", a changed key needs a restart; until then the old value holds',
    );
    expect(child.output).not.toMatch(/whsec_|a-token-of/);

    expect((await fetch(`${child.url}/v1/turns`)).status).toBe(401);
    const agent = new ScriptedAgent('t1', { parentId: 'planner' });
    agent.a = 5000;
    const told = await fetch(`${child.url}/v1/logs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer a-token-of-enough-characters' },
      body: '{}',
    });
    expect(told.status).toBe(200);
  });

  test('a bad file changes nothing and every mistake is named; the next good one is taken up', async () => {
    write();
    const child = await start();
    writeFileSync(
      file(),
      '{"detector": {"policy": {"confrimRatio": 1}, "endpoints": [{"id": "a", "url": "x"}]}}',
    );
    child.signal('SIGHUP');
    await child.prints(/the configuration was not reloaded; everything stays as it was/);
    expect(child.output).toContain('did you mean confirmRatio?');
    expect(child.output).toContain('detector.endpoints[0].url');
    expect((await stall(child)).status).toBe(200);
    await sink.until(1);
    write({ endpoints: [] });
    child.signal('SIGHUP');
    await child.prints(/"changed":\d+.*the configuration was reloaded/);
    expect(await (await fetch(`${child.url}/v1/endpoints`)).json()).toEqual({ endpoints: [] });
    expect(await child.end('SIGTERM')).toBe(0);
  });
});

test('an event loop that stands still: /healthz does not answer, systemd hears nothing, and both come back with it', async () => {
  write();
  const bin = join(directory, 'bin');
  const heard = join(directory, 'heard');
  mkdirSync(bin);
  writeFileSync(join(bin, 'systemd-notify'), `#!/bin/sh\necho "$@" >> "${heard}"\n`);
  chmodSync(join(bin, 'systemd-notify'), 0o755);
  const child = await start({
    BLOCK_MS: '4000',
    NOTIFY_SOCKET: join(directory, 'socket'),
    WATCHDOG_USEC: '2000000',
    PATH: `${bin}:${process.env.PATH}`,
  });
  const said = (): readonly string[] => readFileSync(heard, 'utf8').trim().split('\n');
  await expect.poll(said, { timeout: 60_000 }).toContain('WATCHDOG=1');
  expect(said()[0]).toMatch(/READY=1|WATCHDOG=1/);
  expect((await fetch(`${child.url}/healthz`)).status).toBe(200);

  const answered = stall(child);
  await child.prints(/BLOCKED/);
  const before = said().length;
  await expect(fetch(`${child.url}/healthz`, { signal: AbortSignal.timeout(2000) })).rejects.toThrow(
    /timeout/,
  );
  expect(said().length).toBeLessThanOrEqual(before + 1);
  await expect.poll(async () => (await fetch(`${child.url}/healthz`)).status, { timeout: 60_000 }).toBe(200);
  expect((await answered).status).toBe(200);
  await expect.poll(() => said().length, { timeout: 60_000 }).toBeGreaterThan(before + 1);

  child.signal('SIGHUP');
  await expect
    .poll(said, { timeout: 60_000 })
    .toContainEqual(expect.stringMatching(/^RELOADING=1 MONOTONIC_USEC=\d+$/));
  expect(await child.end('SIGTERM')).toBe(0);
  expect(said().at(-1)).toBe('STOPPING=1');
}, 120_000);

test('at trace level no secret is in the log, whoever speaks of it', async () => {
  sink.answer = (response) =>
    void response.writeHead(500).end(`no: authorization: Bearer bearer-of-the-endpoint ${secret(7)}`);
  const closed = 'http://127.0.0.1:9';
  const token = 'a-token-of-enough-characters';
  write({
    log: { level: 'trace' },
    endpoints: [{ id: 'parent', url: sink.url, secret: secret(7), bearer: 'bearer-of-the-endpoint' }],
    tokens: [{ id: 'ops', token, scopes: ['admin'] }],
    canary: { routes: [{ path: 'eu', url: closed, bearer: 'bearer-of-the-route' }] },
    deadman: { url: `${closed}/uuid-of-the-check`, intervalMs: 1000, timeoutMs: 900 },
  });
  const child = await start();
  const call = (path: string, authorization: string, body: unknown): Promise<Response> =>
    fetch(`${child.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization },
      body: JSON.stringify(body),
    });
  await call('/v1/logs?token=query-of-an-agent', 'Bearer a-wrong-token-that-is-one', {});
  const url = `${sink.url}?key=query-of-the-endpoint`;
  expect((await call('/v1/endpoints', `Bearer ${token}`, { id: 'own', url, secret: secret(9) })).status).toBe(
    201,
  );
  expect((await call('/v1/endpoints/own/test', `Bearer ${token}`, {})).status).toBeLessThan(300);
  expect((await call('/v1/endpoints/parent/test', `Bearer ${token}`, {})).status).toBeLessThan(300);
  await child.prints(/"endpoint":"own".*delivery: retry/);
  await child.prints(/"endpoint":"parent".*delivery: retry/);
  await child.prints(/dead-man's switch could not be pinged/);
  await child.prints(/the canary was not taken/);
  expect(await child.end('SIGTERM')).toBe(0);
  expect(child.output).not.toMatch(
    /whsec_[A-Za-z0-9]|-of-(the-(endpoint|route|check)|enough|an-agent)|a-wrong-token/,
  );
}, 120_000);

describe('SIGTERM', () => {
  /** A raw connection that sends this and then nothing more. */
  function hold(url: string, text: string): Promise<Socket> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(text, () => resolve(socket));
      });
      sockets.push(socket);
      socket.once('error', reject);
      socket.on('error', () => undefined);
    });
  }

  test('under 10 s with idle connections, streams, long polls, a slow upload and an endpoint that hangs', async () => {
    sink.answer = () => undefined;
    write();
    const child = await start();
    const host = new URL(child.url).host;
    await Promise.all([
      ...Array.from({ length: 200 }, () => hold(child.url, '')),
      ...Array.from({ length: 20 }, () =>
        hold(child.url, `GET /v1/events HTTP/1.1\r\nhost: ${host}\r\naccept: text/event-stream\r\n\r\n`),
      ),
      ...Array.from({ length: 20 }, () =>
        hold(child.url, `GET /v1/events?after=latest&wait=60 HTTP/1.1\r\nhost: ${host}\r\n\r\n`),
      ),
      ...Array.from({ length: 20 }, () =>
        hold(
          child.url,
          `POST /v1/logs HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{`,
        ),
      ),
    ]);
    expect((await stall(child)).status).toBe(200);
    await sink.until(1);
    const startedMs = performance.now();
    expect(await child.end('SIGTERM')).toBe(0);
    // Any one of these left open would hold it for 30 s and more. Alone on a machine it takes seven seconds.
    expect(performance.now() - startedMs).toBeLessThan(25_000);
    expect(child.output).toContain('STOPPED');
  }, 120_000);

  test('a second one ends at once', async () => {
    sink.answer = () => undefined;
    write();
    const child = await start();
    await stall(child);
    await sink.until(1);
    child.signal('SIGTERM');
    await child.prints(/a second signal ends at once/);
    expect(await child.end('SIGTERM')).toBe(1);
    expect(child.output).not.toContain('STOPPED');
  });
});
