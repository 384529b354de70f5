import { expect, test } from 'vitest';
import { MemoryStore } from '../store/memory-store.ts';
import { Api } from '../testing/api.ts';
import { runDetector } from '../testing/running-detector.ts';
import { post, ScriptedAgent } from '../testing/scripted-agent.ts';

test('why a turn is stale is the same after a restart of the detector: numbers, source and calls of the verdict', async () => {
  const store = new MemoryStore();
  const first = await runDetector({ policy: { toolIdleTimeoutMs: 1000 } }, { store });
  const agent = new ScriptedAgent('t1');
  const call = { id: 'c1', name: 'grep', startedA: 0, quietSinceA: 0, updates: 2 };
  await post(first.url, [agent.says({ name: 'started' })]);
  agent.a = 4000;
  await post(first.url, [
    agent.says({ name: 'heartbeat' }, 4000, { phase: 'tool', phaseA: 0, calls: [call] }),
  ]);
  first.pass(1);
  // It goes on, so that nothing of now is what was judged.
  agent.a = 9000;
  await post(first.url, [
    agent.says({ name: 'heartbeat' }, 9000, { phase: 'tool', phaseA: 0, calls: [call] }),
  ]);
  const path = '/v1/turns/t1/timeline';
  const { judgement } = (await new Api(first.url).call('GET', path)).body;
  expect(judgement).toMatchObject({ of: 'verdict', reason: 'tool_silence' });
  expect(judgement).toMatchObject({
    numbers: expect.arrayContaining([expect.objectContaining({ name: 'grep quiet', value: 4000 })]),
  });
  await first.detector.stop();
  const again = await runDetector({ policy: { toolIdleTimeoutMs: 1000 } }, { store, clocks: first.clocks });
  expect((await new Api(again.url).call('GET', path)).body.judgement).toEqual(judgement);
  await again.detector.stop();
});
