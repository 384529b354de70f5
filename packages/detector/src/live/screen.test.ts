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

test('a producer without heartbeats is one blind spot, and was heard when its newest record came', async () => {
  const at = await runDetector({ policy: {} });
  running = at;
  const shell = new ScriptedAgent('plain');
  const says = async (name: 'started' | 'step'): Promise<void> => {
    const { report: _none, ...record } = shell.says({ name });
    await post(at.url, [record]);
  };
  await says('started');
  at.pass(60);
  await says('step');
  at.pass(5);
  const { processes, blindSpots } = sourceList.parse((await at.json('/v1/sources')).body);
  expect(processes).toMatchObject([{ beats: false, state: 'live', heardAgoMs: 5000 }]);
  expect(blindSpots.filter(({ kind }) => kind !== 'path_silent').map(({ kind }) => kind)).toEqual([
    'no_heartbeats',
  ]);
});
