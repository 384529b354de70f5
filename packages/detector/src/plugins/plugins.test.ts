import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Timers } from '../clocks.ts';
import type { DetectorConfigInput } from '../config/schema.ts';
import { heldTimers } from '../testing/held-time.ts';
import { pluginFiles, sinkSource } from '../testing/plugin-files.ts';
import type { RunningDetector } from '../testing/running-detector.ts';
import { runWithPlugins, stall, statusOf, until } from '../testing/running-plugins.ts';
import { WebhookSink } from '../testing/webhook-sink.ts';

// Plugins from files, in a detector on a real socket. What they do is seen by what they POST to a receiver.

const running: { stop(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of running.splice(0).reverse()) await each.stop();
});

async function receiver(): Promise<WebhookSink> {
  const sink = new WebhookSink();
  await sink.listen();
  running.push({ stop: () => sink.close() });
  return sink;
}

type Entry = NonNullable<DetectorConfigInput['plugins']>[number];

async function detectorWith(
  files: Readonly<Record<string, string>>,
  entries: readonly Entry[],
  more: DetectorConfigInput = {},
  environment: Readonly<Record<string, string>> = {},
  timers?: Timers,
): Promise<RunningDetector> {
  const folder = pluginFiles(files, onTestFinished);
  const plugins = entries.map((entry) => ({
    ...entry,
    plugin: entry.plugin.startsWith('./') ? join(folder, entry.plugin) : entry.plugin,
  }));
  const detector = await runWithPlugins({ ...more, plugins }, environment, timers);
  running.push({ stop: () => detector.detector.stop() });
  return detector;
}

const forward = (url: string): string =>
  `await host.fetch('${url}', { body: delivery.body, headers: { 'webhook-id': event.id + '/' + delivery.attempt } });`;

describe('a sink', () => {
  test('is told by the outbox like an endpoint, and stands in its API', async () => {
    const told = await receiver();
    const detector = await detectorWith({ 'a.js': sinkSource(forward(told.url)) }, [
      { plugin: './a.js', id: 'mine' },
    ]);
    await stall(detector);
    const [first] = await told.until(1);
    expect(JSON.parse(first?.body ?? '{}')).toMatchObject({ type: 'turn.stale', subject: 't1' });
    const { body: endpoints } = await detector.json('/v1/endpoints');
    expect(endpoints.endpoints).toEqual([
      expect.objectContaining({
        id: 'mine',
        readOnly: true,
        secrets: 0,
        url: expect.stringMatching(/^plugin:/),
      }),
    ]);
    await until(detector, async () => {
      const { body } = await detector.json('/v1/deliveries?endpoint=mine');
      return (body.deliveries as readonly { state: string }[])[0]?.state === 'delivered';
    });
    const metrics = await (await fetch(`${detector.url}/metrics`)).text();
    expect(metrics).toMatch(/turnwatch_plugin_calls_total\{plugin="mine",kind="sink"[^}]*\} [1-9]/);
  });

  test('that throws is tried again under the same id, and others are told meanwhile', async () => {
    const told = await receiver();
    const other = await receiver();
    const detector = await detectorWith(
      {
        'bad.js': sinkSource(
          `if (delivery.attempt < 3) throw new Error('no luck'); ${forward(told.url)}`,
          'bad',
        ),
        'good.js': sinkSource(forward(other.url), 'good'),
      },
      [{ plugin: './bad.js' }, { plugin: './good.js' }],
    );
    await stall(detector);
    expect((await other.until(1))[0]?.id).toMatch(/\/1$/);
    expect(await statusOf(detector, 'bad')).toMatchObject({
      state: 'failing',
      lastError: { message: 'no luck' },
    });
    await until(detector, () => told.received.length > 0);
    expect(told.received[0]?.id).toMatch(/\/3$/);
    expect(await statusOf(detector, 'bad')).toMatchObject({ failures: 2 });
    expect(await statusOf(detector, 'good')).toMatchObject({ state: 'ok', failures: 0 });
  });

  test('that hangs is left alone after its time-out and counted; beyond four such calls it is not called any more', async () => {
    const detector = await detectorWith({ 'a.js': sinkSource('await new Promise(() => undefined)') }, [
      { plugin: './a.js', timeoutMs: 20 },
    ]);
    await stall(detector);
    await until(detector, async () => (await statusOf(detector, 'scripted')).timeouts >= 6);
    const { state, lastError } = await statusOf(detector, 'scripted');
    expect(state).toBe('hanging');
    expect(lastError?.message).toContain('4 earlier calls of the plugin scripted have not come back');
    const { body } = await detector.json('/v1/deliveries?endpoint=scripted');
    expect(body.deliveries).toEqual([expect.objectContaining({ state: 'pending' })]);
  });

  test('says when to come back, and when it is pointless', async () => {
    const detector = await detectorWith(
      {
        'later.js': sinkSource(
          `throw Object.assign(new Error('full'), { retryAfterMs: 90_000, status: 429 })`,
          'later',
        ),
        'never.js': sinkSource(`throw Object.assign(new Error('wrong'), { permanent: true })`, 'never'),
      },
      [{ plugin: './later.js' }, { plugin: './never.js' }],
    );
    await stall(detector);
    const rows = async (endpoint: string) =>
      (await detector.json(`/v1/deliveries?endpoint=${endpoint}`)).body.deliveries as readonly {
        state: string;
        attempts: number;
      }[];
    await until(detector, async () => (await rows('never'))[0]?.state === 'dead');
    expect((await rows('later'))[0]?.attempts).toBe(1);
    detector.pass(60);
    await detector.json('/v1/turns');
    expect((await rows('later'))[0]?.attempts).toBe(1);
    await until(detector, async () => ((await rows('later'))[0]?.attempts ?? 0) > 1);
  });

  test('gets only what its match and types ask for', async () => {
    const told = await receiver();
    const detector = await detectorWith({ 'a.js': sinkSource(forward(told.url)) }, [
      { plugin: './a.js', id: 'expiries', types: ['turn.expired'] },
      { plugin: './a.js', id: 'all' },
    ]);
    await stall(detector);
    await told.until(1);
    const { body } = await detector.json('/v1/deliveries');
    expect((body.deliveries as readonly { endpoint: string }[]).map(({ endpoint }) => endpoint)).toEqual([
      'all',
    ]);
  });

  test('whose secret shows in an error does not spill it', async () => {
    const source = sinkSource(`throw new Error('cannot reach ' + host.secret('HOOK'))`);
    const detector = await detectorWith(
      { 'a.js': source },
      [{ plugin: './a.js' }],
      {},
      { HOOK: 'https://hooks.example/services/T0/B0/hush' },
    );
    await stall(detector);
    await until(detector, async () => (await statusOf(detector, 'scripted')).failures > 0);
    const text = JSON.stringify(await detector.json('/v1/deliveries'));
    expect(text).toContain('cannot reach [secret]');
    expect(text + JSON.stringify(await detector.json('/v1/plugins'))).not.toContain('hush');
  });

  test('that cannot start is tried again when it is needed', async () => {
    const told = await receiver();
    const source = sinkSource(forward(told.url)).replace(
      '({ async deliver',
      "({ tries: 0, async start() { if (this.tries++ === 0) throw new Error('not yet'); }, async deliver",
    );
    const detector = await detectorWith({ 'a.js': source }, [{ plugin: './a.js' }]);
    await until(detector, async () => (await statusOf(detector, 'scripted')).failures > 0);
    expect(await statusOf(detector, 'scripted')).toMatchObject({ lastError: { message: 'not yet' } });
    await stall(detector);
    await told.until(1);
  });
});

describe('a mapper', () => {
  const mapper = (map: string): string => `export const plugin = {
    apiVersion: 1, kind: 'mapper', name: 'acme',
    create: () => ({
      selects: { logs: ['acme.*'], attributes: ['acme.turn', 'acme.model'] },
      precision: 'coarse', exporterDelayMs: 5000,
      map: (records) => { ${map} },
    }),
  };`;
  const logs = (...names: string[]): string =>
    JSON.stringify({
      resourceLogs: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'acme-agent' } }] },
          scopeLogs: [
            {
              logRecords: names.map((eventName) => ({
                eventName,
                body: { stringValue: 'the prompt' },
                attributes: [
                  { key: 'acme.turn', value: { stringValue: 'acme-1' } },
                  { key: 'acme.model', value: { stringValue: 'm1' } },
                  { key: 'acme.prompt', value: { stringValue: 'the prompt' } },
                ],
              })),
            },
          ],
        },
      ],
    });
  const send = (detector: RunningDetector, ...names: string[]): Promise<Response> =>
    fetch(`${detector.url}/v1/logs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: logs(...names),
    });
  const good = mapper(`return records.map(({ attributes, service }) => ({
    turn: attributes['acme.turn'], happening: { name: 'started' },
    identity: { model: attributes['acme.model'], service, agent: JSON.stringify(attributes) },
  }));`);

  test('makes turns of the telemetry of others, sees only what it selects, and its exporter’s delay is in the threshold', async () => {
    const detector = await detectorWith({ 'a.js': good }, [{ plugin: './a.js' }]);
    expect((await send(detector, 'acme.start', 'other.start')).status).toBe(200);
    const { status, body } = await detector.json('/v1/turns/acme-1');
    expect(status).toBe(200);
    expect(body).toMatchObject({ model: 'm1', agent: '{"acme.turn":"acme-1","acme.model":"m1"}' });
    expect(JSON.stringify(body)).not.toContain('the prompt');
    expect(body.thresholdMs).toBe(6000);
  });

  test('that throws costs its own signals only, and is left alone when it fails on everything', async () => {
    const detector = await detectorWith(
      { 'bad.js': mapper("throw new Error('lost')"), 'good.js': good.replace("'acme',", "'fine',") },
      [
        { plugin: './bad.js', id: 'bad' },
        { plugin: './good.js', id: 'good' },
      ],
    );
    for (let batch = 0; batch < 8; batch++) expect((await send(detector, 'acme.start')).status).toBe(200);
    expect((await detector.json('/v1/turns/acme-1')).status).toBe(200);
    expect(await statusOf(detector, 'bad')).toMatchObject({ state: 'paused', failures: 5 });
    expect(await statusOf(detector, 'good')).toMatchObject({ state: 'ok', failures: 0 });
    // After its pause it is tried once more.
    detector.clocks.advance(11_000);
    await send(detector, 'acme.start');
    expect(await statusOf(detector, 'bad')).toMatchObject({ failures: 6 });
  });

  test.each([
    ['no list', 'return 7'],
    ['null in the list', 'return [null]'],
    ['ids that are none', "return [{ turn: { toString: null }, happening: { name: 'started' } }]"],
    ['happenings that are none', "return [{ turn: 't', happening: { name: 'exploded' } }, { turn: 't' }]"],
    ['numbers that are none', "return [{ turn: 't', attempt: -1, happening: { name: 'started' } }]"],
    ['too many', "return Array(1000).fill({ turn: 't', happening: { name: 'started' } })"],
    ['nothing for ever', 'return new Promise(() => undefined)'],
  ])('that gives %s does no harm', async (_what, map) => {
    const detector = await detectorWith({ 'a.js': mapper(map) }, [{ plugin: './a.js', timeoutMs: 20 }]);
    expect((await send(detector, 'acme.start')).status).toBe(200);
    expect((await detector.json('/v1/turns')).body.turns).toEqual([]);
    detector.pass(1);
    expect((await detector.json('/healthz')).status).toBe(200);
  });
});

describe('a probe', () => {
  const probe = (look: string): string => `export const plugin = {
    apiVersion: 1, kind: 'probe', name: 'gpu',
    create: (options, host) => ({ engine: 'gpu-1', async probe(signal) { ${look} } }),
  };`;

  test('that cannot reach its engine, hangs or reads nonsense is no evidence and harms nobody', async () => {
    const rounds: { readonly ms: number; readonly work: () => void }[] = [];
    const detector = await detectorWith(
      {
        'down.js': probe("throw new Error('connection refused')"),
        'hangs.js': probe('await new Promise(() => undefined)'),
        'odd.js': probe("return { state: 'on fire', slots: 'many', promptReads: [{ turn: 't1', read: 5 }] }"),
      },
      [
        { plugin: './down.js', id: 'down', pollMs: 500 },
        { plugin: './hangs.js', id: 'hangs', timeoutMs: 10 },
        { plugin: './odd.js', id: 'odd' },
      ],
      {},
      {},
      {
        ...heldTimers,
        every(ms, work) {
          rounds.push({ ms, work });
          return () => undefined;
        },
      },
    );
    const asked = rounds.filter(({ ms }) => ms !== 1000);
    expect(asked).toHaveLength(1);
    const round = async (): Promise<void> => {
      const { calls } = await statusOf(detector, 'odd');
      for (const { work } of rounds) work();
      await until(detector, async () => (await statusOf(detector, 'odd')).calls > calls);
    };
    for (let count = 0; count < 3; count++) await round();
    await until(detector, async () => (await statusOf(detector, 'hangs')).timeouts > 0);
    await round();
    expect(await statusOf(detector, 'down')).toMatchObject({ state: 'failing', failures: 4 });
    expect(await statusOf(detector, 'hangs')).toMatchObject({ state: 'hanging', calls: 1, timeouts: 1 });
    expect(await statusOf(detector, 'odd')).toMatchObject({ state: 'ok' });
    await stall(detector);
    expect((await detector.json('/v1/turns/t1')).body.state).toBe('stale');
  });
});
