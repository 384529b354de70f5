import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makePolicy, type Now, Registry } from '@turnwatch/core';
import { recordToSignal, type WireRecord } from '@turnwatch/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Ended, runAgent } from './agent.ts';
import { prepareApiOnly } from './line.ts';
import { Sink } from './sink.ts';

// The heartbeat lane of the package as published, without any SDK: real processes, real sockets.

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const node20 = join(
  dirname(
    createRequire(new URL('../node-20/package.json', import.meta.url)).resolve(
      `node-${process.platform}-${process.arch}/package.json`,
    ),
  ),
  'bin/node',
);
const preload = 'data:text/javascript,console.log(%22loaded%22)';
let folder = '';

beforeAll(async () => {
  folder = await prepareApiOnly(mkdtempSync(join(tmpdir(), 'turnwatch-lane-')));
  return () => rmSync(folder, { recursive: true, force: true });
});

interface Run {
  readonly sink: Sink;
  readonly url: string;
  kill(signal?: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

async function run(
  env: Record<string, string>,
  {
    answer,
    script = 'lane.mjs',
    ...node
  }: {
    answer?: Sink['answer'];
    script?: string;
    path?: string;
    flags?: readonly string[];
  } = {},
): Promise<Run> {
  const sink = new Sink(answer);
  const url = await sink.listen();
  let kill: (signal?: NodeJS.Signals) => void = () => undefined;
  const all = { TURNWATCH_ENDPOINT: url, TRACE_ID: traceId, OTEL_SERVICE_NAME: 'agent', ...env };
  const ended = runAgent(
    folder,
    script,
    all,
    (killIt) => {
      kill = (signal = 'SIGKILL') => killIt(signal);
    },
    node,
  );
  return { sink, url, kill: (signal) => kill(signal), ended };
}

const number = (record: WireRecord | undefined, name: string): number => {
  const value = record?.attributes[name];
  if (typeof value !== 'number') throw new Error(`no number ${name} in ${record?.eventName}`);
  return value;
};
const seq = (record: WireRecord): number => number(record, 'turnwatch.seq');
const awake = (record: WireRecord): number => number(record, 'turnwatch.clock.awake_ms');
const isBeat = ({ eventName }: WireRecord): boolean => eventName === 'turnwatch.turn.heartbeat';
const loopAge = (record: WireRecord): number => number(record, 'turnwatch.process.loop_age_ms');

function expectGrowing(values: readonly number[]): void {
  for (const [index, value] of values.entries())
    if (index > 0) expect(value).toBeGreaterThan(values[index - 1] ?? 0);
}

/** What the rules make of what arrived: which record makes which turn stale. */
function staleAt({ records, arrivedMs }: Sink): { turn: string; reason: string; index: number }[] {
  const now = (ms: number): Now => ({ awakeMs: ms, bootMs: ms, wallMs: ms });
  const registry = new Registry(makePolicy(), now(arrivedMs[0] ?? 0));
  return records.flatMap((record, index) => {
    const signal = recordToSignal(record);
    if (signal === undefined) throw new Error(`not understood: ${record.eventName}`);
    const at = now(arrivedMs[index] ?? 0);
    return [...registry.receive(signal, 'direct', at), ...registry.judge(at)].flatMap((effect) =>
      effect.kind === 'publish' && effect.event.type === 'turn.stale'
        ? [{ turn: effect.event.turn, reason: effect.event.stale.reason, index }]
        : [],
    );
  });
}

describe.concurrent('the heartbeat lane', () => {
  it.each([
    ['20', node20],
    ['24', process.execPath],
  ])(
    'carries everything on Node %s, under the trace of the turn, and says that the process exits',
    async (_version, path) => {
      const { sink, ended } = await run({ END: 'exit' }, { path });
      expect(await ended).toMatchObject({ code: 3, stderr: '' });
      await sink.close();
      const names = sink.records.map(({ eventName }) => eventName);
      expect(names.slice(0, 3)).toEqual([
        'turnwatch.process.started',
        'turnwatch.turn.started',
        'turnwatch.request.started',
      ]);
      expect(names).toContain('turnwatch.turn.heartbeat');
      expect(names.at(-1)).toBe('turnwatch.process.exiting');
      expect(sink.records.at(-1)?.attributes['turnwatch.process.exit_code']).toBe(3);
      expectGrowing(sink.records.map(seq));
      const ofTurn = sink.records.filter(({ attributes }) => 'turnwatch.turn.id' in attributes);
      expect(new Set(ofTurn.map((record) => record.traceId))).toEqual(new Set([traceId]));
      expect(ofTurn[0]?.spanId).toMatch(/^[0-9a-f]{16}$/);
      expect(new Set(sink.records.map(({ service }) => service))).toEqual(new Set(['agent']));
      expect(sink.named('turnwatch.process.heartbeat')[0]?.attributes['turnwatch.process.worker']).toBe(true);
    },
  );

  it('beats on while the main loop is blocked for 8 s: the age grows, the turn clock stands still', async () => {
    const { sink, kill, ended } = await run({ BLOCK_MS: '8000' });
    const isBlocked = (record: WireRecord): boolean =>
      record.eventName === 'turnwatch.process.heartbeat' && loopAge(record) > 5000;
    const { atMs } = await sink.first(isBlocked);
    await sink.first(
      (record) => record.eventName === 'turnwatch.process.heartbeat' && loopAge(record) < 1000,
      atMs,
    );
    await sink.first(isBeat, Date.now() + 1);
    kill();
    await ended;
    await sink.close();
    const blocked = sink.named('turnwatch.process.heartbeat').filter((record) => loopAge(record) > 1100);
    expect(blocked.length).toBeGreaterThanOrEqual(5);
    expectGrowing(blocked.map(loopAge));
    expect(number(blocked.at(-1), 'turnwatch.process.loop_age_ms')).toBeGreaterThan(6000);
    // Every beat of the process has one of the turn beside it, at the same instant of one clock.
    const stuck = blocked.filter((record) => loopAge(record) > 5000);
    expect(stuck.length).toBeGreaterThanOrEqual(2);
    expect(new Set(stuck.map(awake)).size).toBe(1);
    expectGrowing(blocked.filter((record) => loopAge(record) < 4900).map(awake));
    const beats = sink.records.filter(isBeat);
    expect(beats.length).toBe(sink.named('turnwatch.process.heartbeat').length);
    // It goes on after the block from where it stood.
    expect(awake(beats.at(-1) as WireRecord)).toBeGreaterThan(awake(stuck[0] as WireRecord));
    expect(awake(beats.at(-1) as WireRecord)).toBeLessThan(awake(stuck[0] as WireRecord) + 5000);
    expectGrowing(sink.records.map(seq));
    const lefts = beats.map((record) => number(record, 'turnwatch.turn.expires_in_ms'));
    expectGrowing(lefts.map((left) => -left));
  });

  it.each([
    ['answers 500', (response) => response.writeHead(500).end()],
    ['hangs', () => undefined],
    ['is slow', (response) => setTimeout(() => response.writeHead(200).end(), 1000)],
    ['cuts the connection', (response) => response.destroy()],
  ] satisfies [string, Sink['answer']][])(
    'brings the newest state within 2 s of the return of a collector that %s',
    async (_what, answer) => {
      const { sink, kill, ended } = await run({}, { answer });
      await sink.first(isBeat);
      await sink.first(isBeat, Date.now() + 4000);
      const backMs = Date.now();
      const before = sink.requests;
      sink.answer = (response) => response.writeHead(200).end();
      const { record, atMs } = await sink.first(isBeat, backMs + 1);
      // 2 s, and what a busy machine adds.
      expect(atMs - backMs).toBeLessThan(3000);
      expect(atMs - record.timeMs).toBeLessThan(2500);
      expect(number(record, 'turnwatch.chunks')).toBeGreaterThan(20);
      await sink.first(isBeat, Date.now() + 2000);
      kill();
      await ended;
      await sink.close();
      // No backlog: what follows is one beat a second.
      expect(sink.requests - before).toBeLessThan(10);
      expect(sink.records.filter((_one, index) => (sink.arrivedMs[index] ?? 0) > backMs).length).toBeLessThan(
        20,
      );
      expectGrowing(sink.records.map(seq));
    },
  );

  it('comes back by itself after a time in which nobody listened', async () => {
    const { sink, url, kill, ended } = await run({});
    await sink.first(isBeat);
    await sink.close();
    await new Promise((resolve) => setTimeout(resolve, 4000));
    const again = new Sink();
    const backMs = Date.now();
    await again.listen(Number(new URL(url).port));
    const { record, atMs } = await again.first(isBeat);
    expect(atMs - backMs).toBeLessThan(3000);
    expect(atMs - record.timeMs).toBeLessThan(2500);
    // What the lost records said of the turn is said again.
    expect(record.attributes['gen_ai.provider.name']).toBe('acme');
    kill();
    await ended;
    await again.close();
  });

  it.each([
    ['process.exit()', 'exit', { code: 3 }],
    ['an uncaught exception', 'throw', { code: 1 }],
    ['SIGTERM', 'term', { signal: 'SIGTERM' }],
    ['its natural end', 'return', { code: 0 }],
  ])('says goodbye at %s, once', async (_what, END, how) => {
    const { sink, kill, ended } = await run({ END });
    await sink.first(isBeat);
    if (END === 'term') kill('SIGTERM');
    expect(await ended).toMatchObject(how);
    await sink.close();
    expect(sink.named('turnwatch.process.exiting')).toHaveLength(1);
    expect(sink.records.at(-1)?.eventName).toBe('turnwatch.process.exiting');
  });

  it.each([
    ['hangs', () => undefined],
    ['answers 503', (response) => response.writeHead(503).end()],
  ] satisfies [string, Sink['answer']][])(
    'holds an exit up for 2 s at most when the collector %s, and says nothing',
    async (_what, answer) => {
      const { sink, ended } = await run({ END: 'return' }, { answer });
      const { code, stderr, lingeredMs } = await ended;
      await sink.close();
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(lingeredMs).toBeLessThan(3500);
      expect(sink.requests).toBeGreaterThanOrEqual(1);
    },
  );

  it.each([
    ['a flag on Node 20', { path: node20, flags: ['--import', preload] }, {}],
    ['a flag on Node 24', { flags: ['--import', preload] }, {}],
    ['NODE_OPTIONS on Node 20', { path: node20 }, { NODE_OPTIONS: `--import ${preload}` }],
    ['NODE_OPTIONS on Node 24', {}, { NODE_OPTIONS: `--import ${preload}` }],
  ])('does not load a second time what the agent is started with by %s', async (_what, node, env) => {
    const { sink, ended } = await run({ END: 'return', ...env }, node);
    expect(await ended).toMatchObject({ code: 0, stdout: 'loaded\nready\nwork done\n' });
    await sink.close();
    expect(sink.requests).toBeGreaterThan(0);
  });

  it('is given up without a word where no worker thread may be started', async () => {
    const flags = ['--permission', '--allow-fs-read=*', '--no-warnings'];
    const { sink, ended } = await run({ END: 'return' }, { flags });
    expect(await ended).toMatchObject({ code: 0, stderr: '', stdout: 'ready\nwork done\n' });
    await sink.close();
    expect(sink.requests).toBe(0);
  });

  it.each([{ TURNWATCH_LANE: 'off' }, { TURNWATCH_ENDPOINT: '' }])('is off with %o', async (env) => {
    const { sink, ended } = await run({ END: 'exit', ...env });
    expect(await ended).toMatchObject({ code: 3, stderr: '' });
    await sink.close();
    expect(sink.requests).toBe(0);
  });
});

describe.concurrent('a supervisor', () => {
  it.each([
    ['20', node20],
    ['24', process.execPath],
  ])('on Node %s reports the exit of a child that had no time for a last word', async (_version, path) => {
    const { sink, ended } = await run({}, { script: 'supervisor.mjs', path });
    const { stdout, stderr } = await ended;
    await sink.close();
    expect(stderr).toBe('');
    const killedMs = Number(stdout.split(' ')[1]);
    const at = sink.records.findIndex(({ eventName }) => eventName === 'turnwatch.process.exited');
    const exited = sink.records[at];
    const child = sink.named('turnwatch.turn.started')[0]?.attributes['turnwatch.process.id'];
    expect(exited?.attributes).toMatchObject({
      'turnwatch.process.exited_id': child,
      'turnwatch.process.exit_signal': 'SIGKILL',
    });
    expect(exited?.attributes['turnwatch.process.id']).not.toBe(child);
    expect((sink.arrivedMs[at] ?? 0) - killedMs).toBeLessThan(1000);
    expect(staleAt(sink)).toEqual([{ turn: 'A', reason: 'process_exited', index: at }]);
  });
});
