import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runAgent as runAnyAgent } from './agent.ts';
import { prepareApiOnly, prepareLine2, prepareLine3, versionIn } from './line.ts';
import { Sink } from './sink.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
/** An exit may be delayed by 2 s; the rest is for a slow machine. */
const mostLingeringMs = 3500;

/** By the SDK alone: the heartbeat lane has tests of its own. */
const runAgent: typeof runAnyAgent = (folder, script, env, onOutput) =>
  runAnyAgent(folder, script, { TURNWATCH_LANE: 'off', ...env }, onOutput);

const sinks: Sink[] = [];

async function listen(
  ...answer: ConstructorParameters<typeof Sink>
): Promise<{ sink: Sink; endpoint: string }> {
  const sink = new Sink(...answer);
  sinks.push(sink);
  return { sink, endpoint: await sink.listen() };
}

afterAll(async () => {
  for (const sink of sinks) await sink.close();
});

describe.concurrent.each([
  { line: '2.x', prepare: prepareLine2, api: '1.9.1', sdk: '0.223.0' },
  { line: '3.x', prepare: prepareLine3, api: '1.10.0', sdk: '0.301.0' },
])('on OpenTelemetry $line', ({ prepare, api, sdk }) => {
  let folder = '';

  beforeAll(async () => {
    folder = await prepare();
  });

  it('is really that line', () => {
    expect(versionIn(folder, '@opentelemetry/api')).toBe(api);
    expect(versionIn(folder, '@opentelemetry/sdk-node')).toBe(sdk);
  });

  it("sends every record through the agent's own SDK, which starts later, under the turn's trace", async () => {
    const { sink, endpoint } = await listen();
    const ended = await runAgent(folder, 'own-sdk.mjs', { ENDPOINT: endpoint, TRACE_ID: traceId });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    const names = (turn: string) =>
      sink.records
        .filter(({ attributes }) => attributes['turnwatch.turn.id'] === turn)
        .map(({ eventName }) => eventName);
    expect(names('early')).toEqual(['turnwatch.turn.ended']);
    expect(names('A')).toEqual([
      'turnwatch.turn.started',
      'turnwatch.request.started',
      'turnwatch.request.first_chunk',
      'turnwatch.turn.heartbeat',
      'turnwatch.turn.heartbeat',
      'turnwatch.request.ended',
      'turnwatch.turn.ended',
    ]);
    const ofTurns = sink.records.filter(({ attributes }) => 'turnwatch.turn.id' in attributes);
    expect(new Set(ofTurns.map((record) => record.traceId))).toEqual(new Set([traceId]));
    expect(sink.named('turnwatch.process.heartbeat').length).toBeGreaterThanOrEqual(2);
    expect(new Set(sink.records.map(({ service }) => service))).toEqual(new Set(['own-sdk']));
  });

  it('sends every record by setup(), also those made just before the end of the process', async () => {
    const { sink, endpoint } = await listen();
    const ended = await runAgent(folder, 'with-setup.mjs', { ENDPOINT: endpoint, TRACE_ID: traceId });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(sink.named('turnwatch.turn.ended')).toMatchObject([
      {
        traceId,
        service: 'with-setup',
        attributes: { 'turnwatch.outcome': 'completed', 'turnwatch.turn.id': 'A' },
      },
    ]);
    expect(sink.named('turnwatch.turn.heartbeat').length).toBeGreaterThanOrEqual(1);
    expect(sink.records.at(-1)?.eventName).toBe('turnwatch.process.exiting');
  });

  it('ends by shutdown() with all delivered', async () => {
    const { sink, endpoint } = await listen();
    const env = { ENDPOINT: endpoint, TRACE_ID: traceId, SHUTDOWN: 'yes', WORK_MS: '10' };
    expect(await runAgent(folder, 'with-setup.mjs', env)).toMatchObject({ code: 0, stderr: '' });
    expect(sink.records.map(({ eventName }) => eventName)).toEqual([
      'turnwatch.process.started',
      'turnwatch.turn.started',
      'turnwatch.request.started',
      'turnwatch.request.first_chunk',
      'turnwatch.request.ended',
      'turnwatch.turn.ended',
      'turnwatch.process.exiting',
    ]);
  });

  it('does not keep the process alive, and says that it exits with the turn open', async () => {
    const { sink, endpoint } = await listen();
    expect(await runAgent(folder, 'left-open.mjs', { ENDPOINT: endpoint })).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(sink.named('turnwatch.process.exiting')).toHaveLength(1);
    expect(sink.named('turnwatch.turn.ended')).toHaveLength(0);
  });

  it('says goodbye at SIGTERM, which ends the process as it would have', async () => {
    const { sink, endpoint } = await listen();
    const ended = await runAgent(folder, 'stopped.mjs', { ENDPOINT: endpoint }, (kill) => kill('SIGTERM'));
    expect(ended).toMatchObject({ signal: 'SIGTERM', stderr: '' });
    expect(sink.named('turnwatch.process.exiting')).toHaveLength(1);
  });

  it.each([
    ['hangs', () => undefined],
    ['answers 500', (response) => response.writeHead(500).end()],
    ['answers 503', (response) => response.writeHead(503).end()],
    ['cuts the connection', (response) => response.destroy()],
  ] satisfies [string, ConstructorParameters<typeof Sink>[0]][])(
    'costs the agent nothing when the detector %s',
    async (_what, answer) => {
      const { sink, endpoint } = await listen(answer);
      const env = { ENDPOINT: endpoint, TRACE_ID: traceId, TURNWATCH_LOG: 'off' };
      for (const SHUTDOWN of ['no', 'yes']) {
        const ended = await runAgent(folder, 'with-setup.mjs', { ...env, SHUTDOWN });
        expect(ended).toMatchObject({ code: 0, stderr: '', stdout: 'work done\n' });
        expect(ended.lingeredMs).toBeLessThan(mostLingeringMs);
      }
      expect(sink.requests).toBeGreaterThanOrEqual(2);
    },
  );

  it('brings the whole state once a detector that hung is back', async () => {
    let asked = 0;
    const { sink, endpoint } = await listen((response) => {
      asked++;
      if (asked > 1) response.writeHead(200).end();
    });
    const env = { ENDPOINT: endpoint, TRACE_ID: traceId, WORK_MS: '4500', TURNWATCH_LOG: 'off' };
    expect(await runAgent(folder, 'with-setup.mjs', env)).toMatchObject({ code: 0, stderr: '' });
    expect(sink.named('turnwatch.turn.heartbeat').at(-1)?.attributes).toMatchObject({
      'turnwatch.phase': 'reasoning',
      'turnwatch.chunks': 1,
      'turnwatch.requests.ids': ['r1'],
    });
    expect(sink.named('turnwatch.turn.ended')).toHaveLength(1);
    expect(sink.records.at(-1)?.eventName).toBe('turnwatch.process.exiting');
  });

  it('makes spans, links and metrics, and live turns of the spans of others', async () => {
    const ended = await runAgent(folder, 'with-spans.mjs', {});
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    const { spans, live, metrics } = JSON.parse(ended.stdout);
    const named = (name: string) => spans.filter((span: { name: string }) => span.name === name);
    expect(spans.map(({ name, outcome }: { name: string; outcome: string }) => [name, outcome])).toEqual([
      ['chat m1', 'cancelled'],
      ['chat m1', 'completed'],
      ['invoke_agent child', 'completed'],
      ['execute_tool delegate', 'completed'],
      ['invoke_agent worker', 'completed'],
      ['invoke_agent linked', 'completed'],
      ['invoke_agent parent', 'completed'],
      ['run', undefined],
    ]);
    const [worker] = named('invoke_agent worker');
    const [call] = named('execute_tool delegate');
    expect(named('invoke_agent child')).toMatchObject([{ traceId: worker.traceId, parentId: call.spanId }]);
    expect(named('chat m1')).toMatchObject([
      { kind: 2, parentId: worker.spanId },
      { kind: 2, parentId: worker.spanId },
    ]);
    expect(named('invoke_agent linked')).toMatchObject([{ links: 1 }]);
    const started = live.filter(([name]: [string]) => name === 'turnwatch.turn.started');
    expect(started.map(([, trace]: [string, string]) => trace)).toEqual(
      ['invoke_agent worker', 'invoke_agent child', 'invoke_agent parent', 'invoke_agent linked', 'run'].map(
        (name) => named(name)[0].traceId,
      ),
    );
    expect(metrics).toMatchObject({
      'gen_ai.client.inference.time_to_first_chunk': [{ value: 1 }],
      'turnwatch.tokens.reread': [
        { attributes: { provider: 'acme', model: 'm1', outcome: 'cancelled' }, value: 500 },
      ],
      'turnwatch.turn.late_settlements': [{ value: 0 }],
    });
    expect(metrics['gen_ai.client.inference.duration']).toHaveLength(2);
    expect(metrics['turnwatch.gap.largest_seconds'].length).toBeGreaterThan(0);
  });

  it('costs the agent nothing when no detector listens, with a turn left open too', async () => {
    const { sink, endpoint } = await listen();
    await sink.close();
    const env = { ENDPOINT: endpoint, TRACE_ID: traceId, TURNWATCH_LOG: 'off' };
    for (const [script, SHUTDOWN] of [
      ['with-setup.mjs', 'no'],
      ['with-setup.mjs', 'yes'],
      ['left-open.mjs', 'no'],
    ] as const) {
      const ended = await runAgent(folder, script, { ...env, SHUTDOWN });
      expect(ended).toMatchObject({ code: 0, stderr: '', stdout: 'work done\n' });
      expect(ended.lingeredMs).toBeLessThan(mostLingeringMs);
    }
  });
});

describe('the package as published', () => {
  let folder = '';

  beforeAll(async () => {
    folder = await prepareApiOnly(mkdtempSync(join(tmpdir(), 'turnwatch-api-only-')));
    return () => rmSync(folder, { recursive: true, force: true });
  });

  it('imports nothing but Node and OpenTelemetry', () => {
    const dist = join(folder, 'node_modules/@turnwatch/instrumentation/dist');
    const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.js'),
    );
    expect(files.sort()).toContain('index.js');
    const imported = files.flatMap((name) =>
      [
        ...readFileSync(join(dist, name), 'utf8').matchAll(
          /^(?:import|export) .*?from ?["']([^"'.][^"']*)["']/gm,
        ),
      ].map(([, from]) => from),
    );
    expect(imported).toContain('@opentelemetry/api');
    expect(imported.filter((from) => from !== '@opentelemetry/api' && !from?.startsWith('node:'))).toEqual(
      [],
    );
  });

  it('works with the API alone, and setup() says what to install', async () => {
    const ended = await runAgent(folder, 'without-sdk.mjs', {});
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toContain('npm install @opentelemetry/sdk-node');
  });
});
