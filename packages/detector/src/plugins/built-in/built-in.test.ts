import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TestHost } from '@turnwatch/plugin/testing';
import { generateSecret, verify } from '@turnwatch/webhook/sign';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { ConfigError } from '../../config/problem.ts';
import type { DetectorConfigInput } from '../../config/schema.ts';
import { pluginFiles } from '../../testing/plugin-files.ts';
import { runWithPlugins, stall, statusOf, until } from '../../testing/running-plugins.ts';
import { WebhookSink } from '../../testing/webhook-sink.ts';
import { loadDetector, loadPlugins } from '../load-plugins.ts';
import { openStore } from '../open-store.ts';
import { log } from './log.ts';

const running: { stop(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of running.splice(0).reverse()) await each.stop();
});

async function detectorWith(
  plugins: DetectorConfigInput['plugins'],
  environment: Readonly<Record<string, string>>,
) {
  const detector = await runWithPlugins({ ...(plugins === undefined ? {} : { plugins }) }, environment);
  running.push({ stop: () => detector.detector.stop() });
  return detector;
}

describe('webhook', () => {
  test('signs as endpoints do', async () => {
    const told = new WebhookSink();
    const url = await told.listen();
    running.push({ stop: () => told.close() });
    const secret = generateSecret();
    const detector = await detectorWith(
      [{ plugin: 'webhook', options: { url, secretEnv: 'HOOK_SECRET', bearerEnv: 'HOOK_TOKEN' } }],
      { HOOK_SECRET: secret, HOOK_TOKEN: 'a-token' },
    );
    await stall(detector);
    const [received] = await told.until(1);
    if (received === undefined) throw new Error('nothing was received');
    expect(received.headers.authorization).toBe('Bearer a-token');
    expect(() =>
      verify({
        headers: received.headers as Record<string, string>,
        body: received.body,
        secrets: [secret],
        nowMs: detector.clocks.wallMs(),
      }),
    ).not.toThrow();
  });

  test('keeps what an endpoint says of an answer: later, or never', async () => {
    const told = new WebhookSink();
    const url = await told.listen();
    running.push({ stop: () => told.close() });
    told.answer = (response) => void response.writeHead(410).end();
    const detector = await detectorWith([{ plugin: 'webhook', options: { url, secretEnv: 'S' } }], {
      S: generateSecret(),
    });
    await stall(detector);
    await until(detector, async () => {
      const { body } = await detector.json('/v1/deliveries');
      return (body.deliveries as readonly { state: string }[])[0]?.state === 'dead';
    });
    expect((await statusOf(detector, 'webhook')).lastError?.message).toContain('answered 410');
  });
});

describe('a2a', () => {
  test('tells the task of the parent; a turn without one is a dead letter at once', async () => {
    const bodies: { readonly statusUpdate: Readonly<Record<string, unknown>> }[] = [];
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      bodies.push(JSON.parse(body));
      response.writeHead(200).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    running.push({ stop: async () => void server.close() });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/push`;
    const detector = await detectorWith(
      [
        { plugin: 'a2a', options: { url, credentialsEnv: 'C', task: 'turn' } },
        { plugin: 'a2a', id: 'parents', options: { url } },
      ],
      { C: 'credentials' },
    );
    await stall(detector);
    await until(detector, async () => {
      const { body } = await detector.json('/v1/deliveries?endpoint=parents');
      return (body.deliveries as readonly { state: string }[])[0]?.state === 'dead';
    });
    await until(detector, () => bodies.length > 0);
    expect(bodies[0]?.statusUpdate).toMatchObject({ taskId: 't1', contextId: 't1' });
  });
});

test('log writes every verdict in words', async () => {
  const host = new TestHost({ id: 'loud' });
  const sink = await log.create({ level: 'error' }, host);
  const event = {
    specversion: '1.0',
    id: 'evt_1',
    source: 's',
    type: 'turn.other',
    subject: 't1',
    time: '2026-11-30T12:00:00Z',
    sequence: '1',
    data: {},
  };
  await sink.deliver(event, { attempt: 1, body: '{}', signal: new AbortController().signal });
  expect(host.lines).toEqual([
    {
      level: 'error',
      fields: { event: 'evt_1', type: 'turn.other', turn: 't1' },
      message: expect.stringContaining('turn.other'),
    },
  ]);
});

describe('a store by plugin', () => {
  const source = `
    import { MemoryStore } from '${new URL('../../store/memory-store.ts', import.meta.url).href}';
    export const plugin = {
      apiVersion: 1, kind: 'store', name: 'borrowed',
      create: (options, host) => Object.assign(new MemoryStore(), { place: 'borrowed ' + host.id }),
    };`;

  test('is opened by its plugin', async () => {
    const folder = pluginFiles({ 'store.js': source }, onTestFinished);
    const { config } = await loadDetector({ flags: { store: { plugin: `${folder}/store.js` } } });
    const store = await openStore(config);
    expect(store.place).toBe('borrowed borrowed');
    store.close();
  });

  test.each([
    [{ plugin: './nowhere.js' }, 'detector.store.plugin', 'there is no'],
    [{ plugin: 'log' }, 'detector.store.plugin', 'log is a sink, not a store; name it in detector.plugins'],
    [{ plugin: 'sqlite', options: { fiel: 'a.db' } }, 'detector.store.options.file', ''],
    [{ plugin: 'memory', options: { size: 1 } }, 'detector.store.options.size', 'unknown option'],
  ])('%j is refused at the start', async (store, path, message) => {
    const problems = await loadDetector({ flags: { store } }).then(
      () => [],
      (error: unknown) => (error instanceof ConfigError ? error.problems : []),
    );
    expect(problems[0]).toMatchObject({ path, message: expect.stringContaining(message) });
  });
});

test('a configuration that was loaded without its plugins has them loaded by name', async () => {
  const { config } = await loadDetector({ flags: { mappers: false, plugins: [{ plugin: 'log' }] } });
  const plugins = await loadPlugins(config);
  expect(plugins.all.map(({ id }) => id)).toEqual(['log']);
  await plugins.stop();
});
