import type { EngineSignal } from '@turnwatch/core';
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

test('what a scrape says agrees with the catalogue: name, kind, help, labels', async () => {
  const agent = new ScriptedAgent('t1');
  agent.a = 5000;
  await post(running.url, [agent.says({ name: 'started' }, 5000), agent.beat()]);
  running.pass(2);
  const text = await (await fetch(`${running.url}/metrics`)).text();
  const scraped = [...text.matchAll(/^# HELP (\S+) (.*)$/gm)].map(([, name = '', help = '']) => ({
    name,
    help,
    kind: new RegExp(`^# TYPE ${name} (\\S+)$`, 'm').exec(text)?.[1],
    labels: [...text.matchAll(new RegExp(`^${name}(?:_bucket|_sum|_count)?{([^}]*)}`, 'gm'))].flatMap(
      ([, labels = '']) => [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label ?? ''),
    ),
  }));
  expect(scraped.length).toBeGreaterThan(15);
  for (const { name, help, kind, labels } of scraped) {
    const spec = Object.values(metrics).find((metric) => prometheusName(metric) === name);
    expect({ name, help, kind }).toEqual({ name, help: spec?.help, kind: spec?.kind });
    const allowed = [...(spec?.labels ?? []), 'le', 'otel_scope_name', 'otel_scope_version'];
    expect(
      labels.filter((label) => !allowed.includes(label)),
      name,
    ).toEqual([]);
  }
});

test('models and endpoints that are made up do not grow the scrape for ever', async () => {
  const agents = Array.from(
    { length: 400 },
    (_, n) => new ScriptedAgent(`t${n}`, { provider: 'p', model: `model-${n}` }),
  );
  for (const agent of agents) agent.a = 5000;
  await post(
    running.url,
    agents.flatMap((agent) => [agent.says({ name: 'started' }, 5000), agent.beat()]),
  );
  running.pass(1);
  const text = await (await fetch(`${running.url}/metrics`)).text();
  expect(text.match(/^turnwatch_turn_verdicts_total\{/gm)?.length).toBe(201);
  expect(text).toMatch(/^turnwatch_turn_verdicts_total\{[^}]*model="other"[^}]*\} 200$/m);
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

test('how open turns stand, what is stale since when, and what would judge the oldest silence', async () => {
  const quiet = new ScriptedAgent('quiet', { provider: 'openai', model: 'gpt-5' });
  const tool = new ScriptedAgent('tool');
  for (const agent of [quiet, tool]) agent.a = 5000;
  const calls = [{ id: 'c', startedA: 0, quietSinceA: 5000, updates: 0 }];
  await post(running.url, [
    quiet.says({ name: 'started' }, 5000),
    quiet.beat(),
    tool.says({ name: 'started' }, 0, { phase: 'tool', calls }),
    tool.beat(),
  ]);
  running.pass(7);
  const text = await (await fetch(`${running.url}/metrics`)).text();
  expect(text).toMatch(/^turnwatch_turns_open\{phase="agent",[^}]*\} 1$/m);
  expect(text).toMatch(/^turnwatch_turns_open\{phase="tool",[^}]*\} 1$/m);
  expect(text).toMatch(/^turnwatch_turns_open\{phase="waiting",[^}]*\} 0$/m);
  const labels = 'provider="openai",model="gpt-5",reason="silence",phase="agent"';
  expect(text).toContain(`turnwatch_turns_stale{${labels}`);
  expect(text).toMatch(/^turnwatch_turn_oldest_stale_seconds\{[^}]*\} 7$/m);
  expect(text).toMatch(/^turnwatch_turn_oldest_silence_threshold_seconds\{[^}]*\} 1$/m);
});

test('engines by state, what they read and how fast; sleeps that hosts announce; pauses of the detector', async () => {
  const probe = new ScriptedAgent('probe');
  const reads = (read: number): EngineSignal => ({
    type: 'engine',
    origin: probe.beat().origin,
    engine: 'local',
    state: 'busy',
    queued: 3,
    slots: [{ id: 0, turn: 't', read, generated: 0 }],
  });
  await post(running.url, [reads(100)]);
  running.pass(2);
  await post(running.url, [reads(700)]);
  await post(running.url, [{ type: 'process', origin: probe.beat().origin, name: 'suspending' }]);
  const text = await (await fetch(`${running.url}/metrics`)).text();
  expect(text).toMatch(/^turnwatch_engines\{state="busy",[^}]*\} 1$/m);
  expect(text).toMatch(/^turnwatch_engine_queued\{[^}]*\} 3$/m);
  expect(text).toMatch(/^turnwatch_engine_tokens_read_total\{[^}]*\} 600$/m);
  expect(text).toMatch(/^turnwatch_engine_reading_seconds_total\{[^}]*\} 2$/m);
  expect(text).toMatch(/^turnwatch_sources_suspensions_total\{path="direct",[^}]*\} 1$/m);
  expect(text).toMatch(/^turnwatch_path_healthy\{path="direct",[^}]*\} 1$/m);
  expect(text).not.toContain('paused_seconds_total{');
  running.clocks.advance(90_000);
  running.detector.tick();
  expect(await (await fetch(`${running.url}/metrics`)).text()).toMatch(
    /^turnwatch_detector_paused_seconds_total\{[^}]*\} (8|9)\d/m,
  );
});

test('what is over is gone from the next scrape, and what nobody waits for any more is zero', async () => {
  const away = { id: 'away', url: 'http://127.0.0.1:9/hook', secrets: [`whsec_${'A'.repeat(44)}`] };
  const other = await runDetector({ endpoints: [away], webhook: { allowPrivate: ['127.0.0.0/8'] } });
  const scrape = async (): Promise<string> => (await fetch(`${other.url}/metrics`)).text();
  try {
    const agent = new ScriptedAgent('t', { provider: 'openai', model: 'gpt-5', parentId: 'p' });
    agent.a = 5000;
    await post(other.url, [agent.says({ name: 'started' }, 5000), agent.beat()]);
    other.pass(1);
    const stale = await scrape();
    expect(stale).toMatch(/^turnwatch_turns_stale\{provider="openai",[^}]*\} 1$/m);
    expect(stale).toMatch(/^turnwatch_turn_oldest_stale_seconds\{/m);
    expect(stale).toMatch(/^turnwatch_outbox_backlog\{endpoint="away",[^}]*\} 1$/m);
    agent.a += 500;
    await post(other.url, [agent.says({ name: 'ended', outcome: 'completed' })]);
    other.store.bury({
      endpointId: 'away',
      createdUntilMs: other.clocks.wallMs(),
      error: { code: 'network', message: 'given up' },
    });
    other.pass(1);
    const over = await scrape();
    expect(over).not.toMatch(/^turnwatch_turns_stale\{/m);
    expect(over).not.toMatch(/^turnwatch_turn_oldest_stale_seconds\{/m);
    expect(over).toMatch(/^turnwatch_outbox_backlog\{endpoint="away",[^}]*\} 0$/m);
  } finally {
    await other.detector.stop();
  }
});
