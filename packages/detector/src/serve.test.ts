import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DetectorConfigInput } from './config/schema.ts';
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
  test('between verdict and POST: the event is delivered once after the restart', async () => {
    const port = await freePort();
    const hook = `http://127.0.0.1:${port}/hook`;
    const first = await start(hook);
    await stall(first);
    await first.end('SIGKILL');
    await sink.listen(port);
    await start(hook);
    const [event] = await sink.until(1);
    expect(JSON.parse(event?.body ?? '')).toMatchObject({ id: event?.id, type: 'turn.stale', subject: 't1' });
    // A graceful stop drains what is due: nothing else is.
    await children[1]?.end('SIGTERM');
    expect(sink.received).toHaveLength(1);
  });

  test('between POST and answer: the same id and the same bytes come again', async () => {
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
});

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
      /exit code 1\n[\s\S]*turnwatch\.db: is damaged or no database .*move it/,
    );
    rmSync(file);
    expect((await fetch(`${(await start(sink.url)).url}/readyz`)).status).toBe(200);
  });

  test('a mistyped key', async () => {
    await sink.listen();
    const policy = { confrimRatio: 1 } as unknown as NonNullable<DetectorConfigInput['policy']>;
    await expect(start(sink.url, { policy })).rejects.toThrow(
      /detector\.policy\.confrimRatio: unknown key; did you mean confirmRatio\?/,
    );
  });
});
