import { type MetricKey, metrics, prometheusName } from '@turnwatch/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RunningDetector, runDetector } from './testing/running-detector.ts';
import { post, ScriptedAgent } from './testing/scripted-agent.ts';

let running: RunningDetector;
beforeEach(async () => {
  running = await runDetector();
});
afterEach(() => running.detector.stop());

test('a scrape shows turns, verdicts and ingest, and no id of anything', async () => {
  const agent = new ScriptedAgent('very-secret-turn', {
    parentId: 'very-secret-parent',
    conversationId: 'very-secret-talk',
  });
  agent.a = 5000;
  await post(running.url, [agent.says({ name: 'started' }, 5000), agent.beat()]);
  running.pass(1);
  const response = await fetch(`${running.url}/metrics`);
  const text = await response.text();
  expect(response.headers.get('content-type')).toContain('text/plain');
  const sample = (key: MetricKey, labels = ''): string | undefined =>
    text.split('\n').find((line) => line.startsWith(prometheusName(metrics[key])) && line.includes(labels));
  expect(sample('turns', 'state="stale"')).toMatch(/ 1$/);
  expect(sample('verdicts', 'reason="silence",phase="agent"')).toMatch(/ 1$/);
  expect(sample('detectionDelay', '_sum')).toMatch(/ 4$/);
  expect(sample('recordsReceived', 'path="direct"')).toMatch(/ 2$/);
  expect(sample('requests', 'status="200"')).toMatch(/ 1$/);
  expect(sample('tickDuration', '_count')).toMatch(/ 2$/);
  expect(sample('oldestSilence')).toMatch(/ 5$/);
  expect(text).not.toContain('very-secret');
  expect(text).not.toContain('target_info');
});

test('every metric has the name of the catalogue and its help', async () => {
  const text = await (await fetch(`${running.url}/metrics`)).text();
  const named = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name);
  const known = Object.values(metrics).map(prometheusName);
  expect(named.filter((name) => !known.includes(name ?? ''))).toEqual([]);
  // Counters appear with their first count, gauges at once.
  for (const key of ['turns', 'oldestSilence', 'lastTickAge'] as const)
    expect(named).toContain(prometheusName(metrics[key]));
});
