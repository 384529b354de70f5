import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Timers } from '../../clocks.ts';
import type { PluginInput } from '../../config/plugin-schema.ts';
import { ConfigError } from '../../config/problem.ts';
import { heldTimers } from '../../testing/held-time.ts';
import { pluginFiles, sinkSource } from '../../testing/plugin-files.ts';
import type { RunningDetector } from '../../testing/running-detector.ts';
import { runWithPlugins, stall, statusOf, until } from '../../testing/running-plugins.ts';
import { WebhookSink } from '../../testing/webhook-sink.ts';
import { loadWithinMs } from './isolated-process.ts';

// Plugins in processes of their own, that do what would end or stop the detector in its own.

const running: { stop(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of running.splice(0).reverse()) await each.stop();
});

/** Timers whose limits of one length pass when the test says so, and not by the time of a machine that may be slow. */
class HeldLimits {
  readonly timers: Timers;
  readonly #held = new Set<() => void>();

  constructor(heldMs: number) {
    this.timers = {
      ...heldTimers,
      after: (ms, work) => {
        if (ms !== heldMs) return heldTimers.after(ms, work);
        const once = (): void => work();
        this.#held.add(once);
        return () => void this.#held.delete(once);
      },
    };
  }

  pass(): void {
    const held = [...this.#held];
    this.#held.clear();
    for (const work of held) work();
  }
}

async function receiver(): Promise<WebhookSink> {
  const sink = new WebhookSink();
  await sink.listen();
  running.push({ stop: () => sink.close() });
  return sink;
}

async function detectorWith(
  files: Readonly<Record<string, string>>,
  entries: readonly PluginInput[],
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningDetector> {
  const folder = pluginFiles(files, onTestFinished);
  const plugins = entries.map((entry) => ({ isolate: true, ...entry, plugin: join(folder, entry.plugin) }));
  const detector = await runWithPlugins({ plugins }, environment);
  running.push({ stop: () => detector.detector.stop() });
  return detector;
}

const forward = (url: string): string =>
  `await host.fetch('${url}', { body: delivery.body, headers: { 'webhook-id': event.id + '/' + delivery.attempt } });`;

describe('an isolated plugin', () => {
  test('that loops for ever is ended and started anew; the tick goes on, and others are told at once', async () => {
    const told = await receiver();
    const other = await receiver();
    const detector = await detectorWith(
      {
        'spins.js': sinkSource(`if (delivery.attempt === 1) for (;;); ${forward(told.url)}`, 'spins'),
        'good.js': sinkSource(forward(other.url), 'good'),
      },
      [
        { plugin: 'spins.js', timeoutMs: 50 },
        { plugin: 'good.js', isolate: false },
      ],
    );
    await stall(detector);
    await other.until(1);
    expect(told.received).toHaveLength(0);
    expect(detector.detector.health.tick.ok).toBe(true);
    await until(detector, () => told.received.length > 0);
    expect(told.received[0]?.id).toMatch(/\/(?:[2-9]|\d{2,})$/);
    expect(await statusOf(detector, 'spins')).toMatchObject({ isolated: true, restarts: 1 });
    expect((await statusOf(detector, 'spins')).timeouts).toBeGreaterThan(0);
    expect(await statusOf(detector, 'good')).toMatchObject({ isolated: false, failures: 0, restarts: 0 });
  });

  test.each([
    ['ends its process', 'process.exit(3)'],
    ['eats all memory', 'const all = []; for (;;) all.push({ at: all.length });'],
  ])('that %s ends its own process alone, and is started anew', async (_what, body) => {
    const told = await receiver();
    const detector = await detectorWith(
      { 'a.js': sinkSource(`if (delivery.attempt === 1) { ${body} } ${forward(told.url)}`) },
      [{ plugin: 'a.js', timeoutMs: 20_000 }],
    );
    await stall(detector);
    await until(detector, () => told.received.length > 0);
    expect(await statusOf(detector, 'scripted')).toMatchObject({ restarts: 1 });
  });

  test('that loops while it is loaded again is ended, and loaded once more', async () => {
    const told = await receiver();
    const loads = `import { existsSync, writeFileSync } from 'node:fs';
      const mark = (load) => new URL('./load-' + load, import.meta.url);
      if (!existsSync(mark(1))) writeFileSync(mark(1), '');
      else if (!existsSync(mark(2))) { writeFileSync(mark(2), ''); for (;;); }
    `;
    const sink = sinkSource(`if (delivery.attempt === 1) process.exit(); ${forward(told.url)}`);
    const folder = pluginFiles({ 'a.js': loads + sink }, onTestFinished);
    const limits = new HeldLimits(loadWithinMs);
    const plugins = [{ isolate: true, plugin: join(folder, 'a.js') }];
    const detector = await runWithPlugins({ plugins }, {}, limits.timers);
    running.push({ stop: () => detector.detector.stop() });
    await stall(detector);
    await until(detector, () => existsSync(join(folder, 'load-2')));
    expect(told.received).toEqual([]);
    limits.pass();
    await until(detector, () => told.received.length > 0);
    expect(await statusOf(detector, 'scripted')).toMatchObject({ restarts: 2 });
  });

  test('that throws where nobody catches it is counted and goes on', async () => {
    const told = await receiver();
    const body = `setTimeout(() => { throw new Error('from a timer of ' + host.secret('KEY')); }, 1); Promise.reject(new Error('forgotten')); ${forward(told.url)}`;
    const detector = await detectorWith({ 'a.js': sinkSource(body) }, [{ plugin: 'a.js' }], {
      KEY: 'hush-hush-hush',
    });
    await stall(detector);
    await told.until(1);
    await until(detector, async () => (await statusOf(detector, 'scripted')).uncaught === 2);
    expect(await statusOf(detector, 'scripted')).toMatchObject({ restarts: 0 });
    expect(JSON.stringify(await statusOf(detector, 'scripted'))).not.toContain('hush');
  });

  test('is started again in its new process, and says of refusals what one in the detector’s own process says', async () => {
    const told = await receiver();
    const source = sinkSource(
      `if (delivery.attempt === 1) process.exit(); if (delivery.attempt === 2) throw Object.assign(new Error('full'), { retryAfterMs: 5000, status: 429 }); ${forward(told.url)}`,
    ).replace(
      '({ async deliver',
      `({ async start() { await host.fetch('${told.url}', { body: 'start' }); }, async deliver`,
    );
    const detector = await detectorWith({ 'a.js': source }, [{ plugin: 'a.js' }]);
    await stall(detector);
    await until(detector, () => told.received.length >= 3);
    expect(told.received.map(({ body }) => (body === 'start' ? body : 'event'))).toEqual([
      'start',
      'start',
      'event',
    ]);
    const { body } = await detector.json('/v1/deliveries');
    expect(JSON.stringify(body)).toContain('"status":429');
  });

  test('with wrong options is refused as everybody’s', async () => {
    const problems = await detectorWith({ 'a.js': sinkSource('') }, [
      { plugin: 'a.js', options: { colour: 'red' } },
      { plugin: 'none.js' },
    ]).then(
      () => [],
      (error: unknown) => (error instanceof ConfigError ? error.problems : [error]),
    );
    expect(problems).toEqual([
      expect.objectContaining({
        path: 'detector.plugins[0].options.colour',
        message: 'unknown option; this plugin takes none',
      }),
      expect.objectContaining({
        path: 'detector.plugins[1].plugin',
        message: expect.stringContaining('there is no'),
      }),
    ]);
  });
});

test('an isolated mapper and an isolated probe work, and a mapper that loops costs its own signals only', async () => {
  const mapper = (name: string, map: string): string => `export const plugin = {
    apiVersion: 1, kind: 'mapper', name: '${name}',
    create: () => ({
      selects: { logs: ['acme.*'], attributes: [] }, precision: 'coarse', exporterDelayMs: 0,
      map: (records) => { ${map} },
    }),
  };`;
  const detector = await detectorWith(
    {
      'good.js': mapper('good', "return [{ turn: 'acme-1', happening: { name: 'started' } }];"),
      'spins.js': mapper('spins', 'for (;;);'),
    },
    [{ plugin: 'good.js' }, { plugin: 'spins.js', timeoutMs: 50 }],
  );
  const logs = { resourceLogs: [{ scopeLogs: [{ logRecords: [{ eventName: 'acme.start' }] }] }] };
  const answer = await fetch(`${detector.url}/v1/logs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(logs),
  });
  expect(answer.status).toBe(200);
  expect((await detector.json('/v1/turns/acme-1')).status).toBe(200);
  await until(detector, async () => (await statusOf(detector, 'spins')).restarts === 1);
  expect(await statusOf(detector, 'good')).toMatchObject({ state: 'ok', precision: 'coarse' });
});
