import { agentMetrics } from '@turnwatch/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScriptedTurns } from '../../fixtures/scripted-turns.ts';
import { type Point, Telemetry } from '../../fixtures/telemetry.ts';
import type { Turn } from '../turn.ts';

let telemetry: Telemetry;
let turns: ScriptedTurns;

beforeEach(() => {
  telemetry = new Telemetry().registerMeter();
  turns = new ScriptedTurns();
});
afterEach(() => telemetry.shutdown());

const points = (name: string): Promise<Point[] | undefined> => telemetry.points(name);
const start = (): Turn => turns.start({ id: 'turn-7', provider: 'openai', model: 'gpt-5' });
const genAi = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'gpt-5',
};

describe('time to the first chunk and duration', () => {
  it('are on the turn clock, pings left out, by provider and model', async () => {
    const turn = start();
    const request = turn.request({ id: 'req-7' });
    turns.pass(1000);
    request.keepalive();
    turns.pass(1250);
    request.chunk('text');
    turns.pass(4000);
    request.end();
    turn.end();
    expect(await points('gen_ai.client.inference.time_to_first_chunk')).toEqual([
      { labels: genAi, sum: 2.25, count: 1 },
    ]);
    expect(await points('gen_ai.client.inference.duration')).toEqual([
      { labels: genAi, sum: 6.25, count: 1 },
    ]);
  });

  it('say why a request failed, and bound the classes of errors', async () => {
    const turn = start();
    for (let n = 0; n < 60; n++) turn.request().end({ outcome: 'failed', errorType: `E${n}` });
    turn.end();
    const found = (await points('gen_ai.client.inference.duration')) ?? [];
    expect(found).toHaveLength(51);
    expect(found.find(({ labels }) => labels['error.type'] === '_OTHER')?.count).toBe(10);
  });
});

describe('the largest gap', () => {
  it('is recorded once for each phase of a turn, at the end of the turn', async () => {
    const turn = start();
    turns.pass(200);
    const request = turn.request();
    turns.pass(3000);
    request.chunk('text');
    for (const ms of [10, 700, 40]) {
      turns.pass(ms);
      request.chunk('text');
    }
    request.end();
    turns.pass(90);
    turn.end();
    const gaps = (await points('turnwatch.gap.largest_seconds')) ?? [];
    const of = (phase: string) => gaps.find(({ labels }) => labels.phase === phase);
    expect(of('first_token')).toEqual({
      labels: { provider: 'openai', model: 'gpt-5', phase: 'first_token' },
      sum: 3,
      count: 1,
    });
    expect(of('text')).toMatchObject({ sum: 0.7, count: 1 });
    // Before the request and after it: the longer one.
    expect(of('agent')).toMatchObject({ sum: 0.2, count: 1 });
    expect(gaps).toHaveLength(3);
  });

  it('counts silence that ends in an expiry, and no wait for a person', async () => {
    const turn = turns.start({ expiresInMs: 600_000 });
    const call = turn.tool({ name: 'bash' });
    turns.pass(2000);
    turn.waiting({ for: 'approval', call: call.id });
    turns.pass(300_000);
    turn.resumed(call.id);
    turns.pass(1000);
    call.end();
    turn.waiting({ for: 'input' });
    turns.pass(200_000);
    turn.resumed();
    turns.pass(97_000);
    const gaps = (await points('turnwatch.gap.largest_seconds')) ?? [];
    const sums = Object.fromEntries(gaps.map(({ labels, sum }) => [labels.phase, sum]));
    expect(Object.keys(sums).sort()).toEqual(['agent', 'tool']);
    expect(sums.tool).toBe(2);
    expect(sums.agent).toBe(97);
  });
});

it('has no gap where a turn ends while a call of it waits for a person', async () => {
  const turn = start();
  const call = turn.tool({ name: 'bash' });
  turns.pass(2000);
  turn.waiting({ for: 'approval', call: call.id });
  turns.pass(300_000);
  turn.end({ outcome: 'cancelled' });
  const gaps = (await points('turnwatch.gap.largest_seconds')) ?? [];
  expect(gaps.find(({ labels }) => labels.phase === 'tool')).toMatchObject({ sum: 2, count: 1 });
});

describe('tokens read again', () => {
  const reread = (): Promise<Point[] | undefined> => points('turnwatch.tokens.reread');
  const ours = { provider: 'openai', model: 'gpt-5' };

  it('are the uncached input of a request that was cancelled and made again (000)', async () => {
    const turn = start();
    turn
      .request()
      .end({ outcome: 'cancelled', usage: { inputTokens: 70_000, cachedTokens: 10_000, outputTokens: 3 } });
    expect(await reread()).toBeUndefined();
    turn.request().end({ usage: { inputTokens: 70_000 } });
    turn.end();
    expect(await reread()).toEqual([{ labels: { ...ours, outcome: 'cancelled' }, sum: 60_000 }]);
  });

  it("are what the engine had read, by its own count, else the retry's input", async () => {
    const turn = start();
    const first = turn.request({ promptTokens: 5000 });
    first.promptRead({ read: 3100, total: 5000 });
    first.end({ outcome: 'cancelled' });
    turn.request().end({ outcome: 'failed', errorType: 'stream_cut' });
    turn.request().end({ usage: { inputTokens: 5200, cachedTokens: 200 } });
    turn.end();
    expect(await reread()).toEqual([
      { labels: { ...ours, outcome: 'cancelled' }, sum: 3100 },
      { labels: { ...ours, outcome: 'failed' }, sum: 5000 },
    ]);
  });

  it('are none without a retry, after a refusal, and after a request that completed', async () => {
    const turn = start();
    turn.request({ promptTokens: 900 }).end();
    turn.request({ promptTokens: 900 }).end({ outcome: 'failed', errorType: '503' });
    turn.request({ promptTokens: 900 }).end({ outcome: 'cancelled' });
    turn.end();
    const [only, ...others] = (await reread()) ?? [];
    expect(others).toEqual([]);
    expect(only?.sum ?? 0).toBe(0);
  });

  it('count for a request that went past its own horizon', async () => {
    const turn = start();
    const run = turn.withRequest(
      { promptTokens: 800, expiresInMs: 1000 },
      () => new Promise(() => undefined),
    );
    turns.pass(1000);
    await expect(run).rejects.toThrow();
    turn.request();
    turn.end();
    expect(await reread()).toEqual([{ labels: { ...ours, outcome: 'expired' }, sum: 800 }]);
  });
});

it('counts what was refused, settled late or ended twice, when somebody collects', async () => {
  const turn = start();
  turns.start({ id: 'turn-7' });
  turn.request({ id: 'r' });
  turn.request({ id: 'r' });
  turn.tool({ id: 'c' }).end();
  turns.runtime.producer.turn('turn-7')?.toolEnded('c');
  turn.end();
  turn.end();
  const refused = await points('turnwatch.work.refused');
  expect(refused?.map(({ labels, sum }) => [labels.kind, sum])).toEqual([
    ['turn', 1],
    ['request', 1],
    ['tool_call', 0],
  ]);
  expect(await points('turnwatch.work.duplicate_ends')).toEqual([{ labels: {}, sum: 1 }]);
  expect(await points('turnwatch.turn.late_settlements')).toEqual([{ labels: {}, sum: 1 }]);
});

it('labels nothing with an id, names only what the catalogue has, and bounds the models', async () => {
  for (let n = 0; n < 120; n++) {
    const turn = turns.start({ id: `turn-${n}`, conversationId: `conv-${n}`, provider: 'p', model: `m${n}` });
    const request = turn.request({ id: `req-${n}` });
    request.chunk('text');
    request.end({ outcome: 'cancelled', usage: { inputTokens: 1 } });
    turn.request({ id: `again-${n}` }).end();
    turn.tool({ id: `call-${n}`, name: 'bash' }).end();
    turn.end();
  }
  const all = await telemetry.everyPoint();
  const catalogue = new Map(Object.values(agentMetrics).map((spec) => [spec.name, spec]));
  expect([...all.keys()].sort()).toEqual([...catalogue.keys()].sort());
  for (const [name, found] of all)
    for (const { labels } of found) {
      expect(catalogue.get(name)?.labels).toEqual(expect.arrayContaining(Object.keys(labels)));
      expect(JSON.stringify(labels)).not.toMatch(/turn-\d|req-|again-|conv-|call-\d/);
    }
  const models = new Set(
    all.get('gen_ai.client.inference.duration')?.map(({ labels }) => labels['gen_ai.request.model']),
  );
  expect(models.size).toBe(101);
  expect(models).toContain('other');
});

it('follows a meter provider that is registered later, or in place of another', async () => {
  await telemetry.shutdown();
  start().end();
  telemetry = new Telemetry().registerMeter();
  const turn = start();
  turn.request().end();
  turn.end();
  expect(await points('gen_ai.client.inference.duration')).toMatchObject([{ count: 1 }]);
});
