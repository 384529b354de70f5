import { baselineKey } from '@turnwatch/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { MemoryStore } from '../store/memory-store.ts';
import { Api } from '../testing/api.ts';
import { type RunningDetector, runDetector } from '../testing/running-detector.ts';
import { post, ScriptedAgent } from '../testing/scripted-agent.ts';

let running: RunningDetector;
let api: Api;
const key = baselineKey('openai', 'gpt 5/x', 'agent');
const path = `/v1/baselines/${encodeURIComponent(key)}`;

/** A healthy turn whose largest silence was this long. */
async function healthy(turn: string, gapMs: number): Promise<void> {
  const agent = new ScriptedAgent(turn, { provider: 'openai', model: 'gpt 5/x' });
  await post(running.url, [agent.says({ name: 'started' })]);
  agent.a = gapMs;
  await post(running.url, [agent.says({ name: 'step' }, 0, { firstA: gapMs })]);
  await post(running.url, [agent.says({ name: 'ended', outcome: 'completed' })]);
}

beforeEach(async () => {
  running = await runDetector();
  api = new Api(running.url);
  await healthy('short', 300);
  await healthy('long', 900);
});
afterEach(() => running.detector.stop());

describe('what was learned', () => {
  test('is listed by key, with its distribution, its largest gaps and what judges by it', async () => {
    const { body } = await api.call('GET', '/v1/baselines');
    expect(body.baselines).toMatchObject([
      {
        key,
        provider: 'openai',
        model: 'gpt 5/x',
        phase: 'agent',
        samples: 2,
        largestGapMs: 900,
        largestGaps: [
          { gapMs: 900, turn: 'long' },
          { gapMs: 300, turn: 'short' },
        ],
        excluded: [],
        censored: 0,
        backoff: 1,
        buckets: [{ count: 1 }, { count: 1 }],
        thresholdMs: 1000,
        thresholdSource: 'default',
      },
    ]);
    expect((await api.call('GET', path)).body).toEqual((body.baselines as unknown[])[0]);
  });

  test('without a gap that an operator excludes, over a restart too, and with it again', async () => {
    const excluded = await api.call('POST', `${path}/exclusions`, {
      turn: 'long',
      why: 'a debugger was on it',
    });
    expect(excluded.body).toMatchObject({
      samples: 2,
      largestGapMs: 300,
      excluded: [{ gapMs: 900, turn: 'long' }],
    });
    const store = running.store as MemoryStore;
    await running.detector.stop();
    running = await runDetector({}, { store });
    api = new Api(running.url);
    expect((await api.call('GET', path)).body).toEqual(excluded.body);
    const back = await api.call('DELETE', `${path}/exclusions/long`);
    expect(back.body).toMatchObject({ largestGapMs: 900, excluded: [] });
    expect((await api.call('GET', '/v1/audit')).body.entries).toMatchObject([
      { action: 'baseline.include', turn: 'long', baseline: key },
      { action: 'baseline.exclude', turn: 'long', baseline: key, why: 'a debugger was on it' },
    ]);
  });

  test.each([
    ['GET', '/v1/baselines/nothing', undefined, 404, 'TURNWATCH_ERR_UNKNOWN_BASELINE'],
    ['POST', '/v1/baselines/nothing/exclusions', { turn: 'long' }, 404, 'TURNWATCH_ERR_UNKNOWN_BASELINE'],
    ['POST', `${path}/exclusions`, { turn: 'nobody' }, 404, 'TURNWATCH_ERR_UNKNOWN_GAP'],
    ['POST', `${path}/exclusions`, {}, 400, 'TURNWATCH_ERR_BAD_BODY'],
    ['DELETE', `${path}/exclusions/long`, undefined, 404, 'TURNWATCH_ERR_UNKNOWN_GAP'],
  ])('%s %s with %j is refused', async (method, at, body, status, code) => {
    const answer = await api.call(method, at, body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect((await api.call('GET', '/v1/audit')).body.entries).toEqual([]);
  });
});
