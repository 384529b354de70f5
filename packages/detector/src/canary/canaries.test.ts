import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { HeldClocks } from '../testing/held-time.ts';
import { Recorder } from '../testing/recorder.ts';
import { Relay } from '../testing/relay.ts';
import { type RunningDetector, runDetector } from '../testing/running-detector.ts';
import { post, protobufOf, ScriptedAgent } from '../testing/scripted-agent.ts';
import { Canaries } from './canaries.ts';

let running: RunningDetector | undefined;
let relay: Relay | undefined;
afterEach(async () => {
  await running?.detector.stop();
  await relay?.close();
  running = undefined;
  relay = undefined;
});

/** A detector with one route through a relay that names it as a Collector's exporter would. */
async function routed(headers: Readonly<Record<string, string>> = { 'turnwatch-path': 'eu' }) {
  const log = new Recorder();
  const port = await freePort();
  const between = new Relay(`http://127.0.0.1:${port}`, headers);
  relay = between;
  const url = await between.listen();
  const detector = await runDetector(
    { listen: { port }, canary: { routes: [{ path: 'eu', url }] } },
    { logger: log, clocks: new HeldClocks() },
  );
  running = detector;
  return { detector, relay: between, log, url };
}

async function freePort(): Promise<number> {
  const probe = new Relay('');
  const { port } = new URL(await probe.listen());
  await probe.close();
  return Number(port);
}

interface Paths {
  readonly [path: string]: { readonly ok: boolean; readonly canaryAgeMs: number | null };
}

async function paths({ json }: RunningDetector): Promise<Paths> {
  return (await json('/healthz')).body.paths as Paths;
}

/** Passes seconds until the path's newest canary is as young as a working path makes it. */
async function until(detector: RunningDetector, path: string): Promise<void> {
  await expect.poll(async () => (await paths(detector))[path]?.canaryAgeMs, { timeout: 5000 }).toBe(0);
}

describe('a probe through each configured path', () => {
  test('comes back through what is in between, and the path shows its age', async () => {
    const { detector } = await routed();
    await until(detector, 'eu');
    await until(detector, 'direct');
    const text = await (await fetch(`${detector.url}/metrics`)).text();
    expect(text).toMatch(/^turnwatch_canary_age_seconds\{path="direct"\S* 0$/m);
    expect(text).toMatch(/^turnwatch_canary_age_seconds\{path="eu"\S* 0$/m);
  });

  test('out of a jam it is as old as it is: the path is not fresh before a young one has come through', async () => {
    const { detector, relay: between } = await routed();
    await until(detector, 'eu');
    between.jam();
    detector.pass(1);
    await between.holds(1);
    detector.pass(30);
    expect((await paths(detector)).eu).toEqual({ ok: false, canaryAgeMs: 31_000 });
    await between.release(1);
    expect((await paths(detector)).eu).toEqual({ ok: false, canaryAgeMs: 30_000 });
    expect((await detector.json('/healthz')).status).toBe(200);
  });

  test('a jam that runs empty late is told as a silent source, and no process behind it is called unreachable', async () => {
    const { detector, relay: between, url } = await routed();
    const agent = new ScriptedAgent('t1');
    // Its own path, by the same relay as the probe.
    await post(url, [agent.says({ name: 'started' }), agent.beat()]);
    await until(detector, 'eu');
    between.jam();
    for (let second = 1; second <= 90; second++) {
      detector.pass(1);
      await between.holds(Math.min(second, 21));
      // From here on one of the oldest probes comes out each second: by arrival the path would look alive.
      if (second > 20) await between.release(1);
    }
    expect(detector.events.map(({ type }) => type)).toEqual(['source.silent']);
    expect(detector.events[0]).toMatchObject({ path: 'eu', turns: 1 });
  });

  test('the log says once that a path went blind, and once that it works again, with the age of the canary', async () => {
    const { detector, relay: between, log } = await routed();
    await until(detector, 'eu');
    const said = () =>
      log.lines
        .filter(({ message }) => message.includes('the path eu'))
        .map(({ level, fields, message }) => [level, fields, message]);
    between.jam();
    for (let second = 1; second <= 30; second++) {
      detector.pass(1);
      await between.holds(second);
    }
    const blind = [
      'warn',
      { path: 'eu', canaryAgeMs: 11_000 },
      'blind on the path eu: its canary does not come back, and silence behind it proves nothing',
    ];
    expect(said()).toEqual([blind]);
    await between.release();
    detector.pass(1);
    expect(said()).toEqual([
      blind,
      ['warn', { path: 'eu', canaryAgeMs: 1000 }, 'the path eu works again: its canary comes back'],
    ]);
  });

  test('a relay that does not name its path is told of once, with what to do', async () => {
    const { detector, log } = await routed({});
    await until(detector, 'eu');
    detector.pass(1);
    await until(detector, 'eu');
    expect(log.lines.filter(({ message }) => message.startsWith('the canary of the path'))).toEqual([
      {
        level: 'warn',
        fields: { path: 'eu', cameBy: 'direct' },
        message:
          'the canary of the path eu came back as direct: let what is in between send the header ' +
          '"turnwatch-path: eu", or a token of its own that has this path',
      },
    ]);
  });
});

describe('a probe that is not taken is one line an episode, with where it went and why', () => {
  const at = 'http://user:pass@127.0.0.1';
  const notTaken = (log: Recorder) =>
    log.lines.filter(({ message }) => message === 'the canary was not taken').map(({ fields }) => fields);

  test('nothing answers: no address with credentials, and nothing said twice', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const log = new Recorder();
    const canaries = new Canaries({ awakeMs: () => 0, logger: log });
    try {
      canaries.watch([{ path: 'held', url: `${at}:${port}/v1/logs?key=of-mine`, headers: {} }]);
      await canaries.beat();
      await canaries.beat();
      expect(notTaken(log)).toEqual([
        { path: 'held', url: `http://[…]@127.0.0.1:${port}/v1/logs?[…]`, why: 'no answer within 900 ms' },
      ]);
    } finally {
      canaries.close();
      silent.closeAllConnections();
      silent.close();
    }
  });

  test('refused, then back, then answered with an error', async () => {
    let status: number | undefined;
    const ids: string[] = [];
    const server = createServer(async (request, response) => {
      const body = (await json(request)) as ProbeBody;
      ids.push(body.resourceLogs[0].scopeLogs[0].logRecords[0].attributes[1].value.stringValue);
      if (status === undefined) response.destroy();
      else response.writeHead(status).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const log = new Recorder();
    const canaries = new Canaries({ awakeMs: () => 0, logger: log });
    try {
      canaries.watch([{ path: 'eu', url: `http://127.0.0.1:${port}/v1/logs`, headers: {} }]);
      await canaries.beat();
      await canaries.beat();
      expect(notTaken(log)).toMatchObject([{ why: 'socket hang up' }]);
      canaries.back([{ type: 'canary', path: 'eu', id: ids.at(-1) ?? '' }], 'eu');
      status = 401;
      await canaries.beat();
      await canaries.beat();
      expect(notTaken(log)).toMatchObject([{ why: 'socket hang up' }, { why: 'it was answered 401' }]);
    } finally {
      canaries.close();
      server.closeAllConnections();
      server.close();
    }
  });
});

interface ProbeBody {
  readonly resourceLogs: [
    {
      readonly scopeLogs: [
        {
          readonly logRecords: [
            { readonly attributes: [unknown, { readonly value: { readonly stringValue: string } }] },
          ];
        },
      ];
    },
  ];
}

test('a canary that somebody else sends counts for nothing', async () => {
  running = await runDetector();
  const detector = running;
  await until(detector, 'direct');
  const forged = { type: 'canary', path: 'direct', id: 'guessed' } as const;
  const before = await paths(detector);
  const response = await fetch(`${detector.url}/v1/logs`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-protobuf' },
    body: protobufOf([forged, { ...forged, path: 'made-up' }]),
  });
  expect(response.status).toBe(200);
  expect(Object.keys(await paths(detector))).toEqual(Object.keys(before));
  expect(await (await fetch(`${detector.url}/metrics`)).text()).not.toContain('made-up');
});

describe('which path a request came in by', () => {
  const ingest = (id: string, more: object = {}) => ({
    id,
    token: `0123456789abcdef-${id}`,
    scopes: ['ingest'] as const,
    ...more,
  });

  async function pathsOfRequests(headers: Readonly<Record<string, string>>): Promise<readonly string[]> {
    running = await runDetector({
      tokens: [ingest('eu', { path: 'eu' }), ingest('any'), { ...ingest('reader'), scopes: ['read'] }],
      canary: { routes: [{ path: 'us', url: 'http://127.0.0.1:9' }] },
    });
    await fetch(`${running.url}/v1/logs`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-protobuf', ...headers },
      body: protobufOf([new ScriptedAgent('t1').beat()]),
    });
    const scrape = await fetch(`${running.url}/metrics`, {
      headers: { authorization: 'Bearer 0123456789abcdef-reader' },
    });
    const text = await scrape.text();
    return [...text.matchAll(/^turnwatch_ingest_records_total\{path="([^"]+)"/gm)].map(
      ([, path]) => path ?? '',
    );
  }

  test.each([
    ['the token says it', { authorization: 'Bearer 0123456789abcdef-eu' }, 'eu'],
    [
      'no header changes what the token says',
      { authorization: 'Bearer 0123456789abcdef-eu', 'turnwatch-path': 'us' },
      'eu',
    ],
    [
      'the header of a Collector says it',
      { authorization: 'Bearer 0123456789abcdef-any', 'turnwatch-path': 'us' },
      'us',
    ],
    [
      'a name that nobody configured is direct',
      { authorization: 'Bearer 0123456789abcdef-any', 'turnwatch-path': 'invented' },
      'direct',
    ],
  ])('%s', async (_what, headers, path) => {
    expect(await pathsOfRequests(headers)).toEqual([path]);
  });
});
