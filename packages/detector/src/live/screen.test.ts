import { liveSnapshot, sourceList, timelineDocument } from '@turnwatch/protocol';
import { afterEach, expect, test } from 'vitest';
import { type RunningDetector, runDetector } from '../testing/running-detector.ts';
import { post, ScriptedAgent } from '../testing/scripted-agent.ts';

let running: RunningDetector | undefined;
afterEach(() => running?.detector.stop());

test('what the three routes answer is what their schemas say, and the most urgent turn comes first', async () => {
  const at = await runDetector();
  running = at;
  const stalls = new ScriptedAgent('stalls', { agent: 'coder' });
  const works = new ScriptedAgent('works');
  await post(at.url, [stalls.says({ name: 'started' }), works.says({ name: 'started' })]);
  at.pass(2);
  stalls.a = works.a = 2000;
  await post(at.url, [stalls.says({ name: 'heartbeat' }, 2000), works.says({ name: 'heartbeat' })]);

  const { body: live } = await at.json('/v1/live');
  const { rows, counts, matching } = liveSnapshot.parse(live);
  expect(rows.map(({ id, state, rank }) => [id, state, rank])).toEqual([
    ['stalls', 'stale', 0],
    ['works', 'running', 6],
  ]);
  expect(counts).toMatchObject({ stale: 1, running: 1 });
  expect(matching).toBe(2);

  const { body } = await at.json('/v1/turns/stalls/timeline');
  const timeline = timelineDocument.parse(body);
  expect(timeline.begins).toBe('turn_start');
  expect(timeline.judgement).toMatchObject({
    of: 'verdict',
    reason: 'silence',
    sentence: 'It was silent for 2 s in the agent’s own code; 1 s is allowed.',
  });
  expect(timeline.entries.map((entry) => (entry.kind === 'mark' ? entry.what : entry.kind))).toEqual([
    'started',
    'phase',
    'stale',
  ]);

  const { body: sources } = await at.json('/v1/sources');
  expect(sourceList.parse(sources).processes.map(({ id }) => id)).toEqual([stalls.process, works.process]);
});
