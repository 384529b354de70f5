import { fileURLToPath } from 'node:url';
import type { EngineSignal, Signal } from '@turnwatch/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningDetector, runDetector } from '../../packages/detector/src/testing/running-detector.ts';
import { post, ScriptedAgent } from '../../packages/detector/src/testing/scripted-agent.ts';
import { WebhookSink } from '../../packages/detector/src/testing/webhook-sink.ts';
import { AgentScrape } from './testing/agent-scrape.ts';
import { panelQueries } from './testing/panel-query.ts';
import { skips } from './testing/programs.ts';
import { RunningPrometheus } from './testing/running-prometheus.ts';

const rulesFile = fileURLToPath(new URL('../alerts/turnwatch.rules.yaml', import.meta.url));
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const openai = { provider: 'openai', model: 'gpt-5', parentId: 'planner' } as const;

/** A real detector that a real Prometheus scrapes while agents stall, recover, expire, read, run tools and wait. */
describe.skipIf(skips('prometheus'))('every panel and rule in a real Prometheus', () => {
  let sink: WebhookSink;
  let running: RunningDetector;
  let agents: AgentScrape;
  let prometheus: RunningPrometheus;
  const probe = new ScriptedAgent('probe');
  const engine = (read: number, generated: number): EngineSignal => ({
    type: 'engine',
    origin: probe.beat().origin,
    engine: 'local',
    state: 'busy',
    queued: 2,
    slots: [{ id: 0, read, generated }],
  });
  /** With the agents' own instants, a fifth of a second ago. */
  const send = (signals: readonly Signal[]): Promise<Response> =>
    post(
      running.url,
      signals.map((signal): Signal => {
        if (signal.type === 'canary') return signal;
        return { ...signal, origin: { ...signal.origin, wallMs: running.clocks.wallMs() - 200 } };
      }),
    );
  const one = async (expr: string): Promise<number | undefined> => (await prometheus.query(expr))[0]?.value;

  beforeAll(async () => {
    sink = new WebhookSink();
    await sink.listen();
    running = await runDetector({
      endpoints: [
        { id: 'planner', url: sink.url, secrets: [secret] },
        // Nothing listens there.
        { id: 'away', url: 'http://127.0.0.1:9/hook', secrets: [secret] },
      ],
      webhook: { allowPrivate: ['127.0.0.0/8'] },
    });
    agents = new AgentScrape();
    prometheus = await RunningPrometheus.start(
      { turnwatch: `127.0.0.1:${running.port}`, agents: await agents.listen() },
      rulesFile,
    );
    await scene();
  }, 60_000);
  afterAll(async () => {
    await prometheus?.stop();
    await running?.detector.stop();
    await agents?.close();
    await sink?.close();
  });

  async function stall(agent: ScriptedAgent): Promise<void> {
    agent.a += 5000;
    await send([agent.says({ name: 'heartbeat' }, 5000), agent.beat()]);
    running.pass(1);
  }

  /** Two waves with scrapes between: a rate needs a before. */
  async function scene(): Promise<void> {
    const calls = [{ id: 'c', name: 'run_tests', startedA: 0, quietSinceA: 0, updates: 0 }];
    const tool = new ScriptedAgent('tool', openai);
    const waiting = new ScriptedAgent('waiting', openai);
    const reading = new ScriptedAgent('reading', { provider: 'llama.cpp', model: 'qwen3', route: 'local' });
    const quick = new ScriptedAgent('quick', openai);
    const expires = new ScriptedAgent('expires', openai);
    const stuck = new ScriptedAgent('stuck', openai);
    const wrong = new ScriptedAgent('wrong', openai);
    const requests = [{ id: 'r', startedA: 0, streaming: true }];
    await send([
      tool.says({ name: 'started' }, 0, { phase: 'tool', calls }),
      waiting.says({ name: 'started' }, 0, { phase: 'waiting', waiting: { for: 'approval', sinceA: 0 } }),
      reading.says({ name: 'started' }, 0, { phase: 'first_token', requests }),
      expires.says({ name: 'started' }, 0, { expiresInMs: 1500 }),
      ...[tool, waiting, reading, expires].map((agent) => agent.beat()),
      engine(1000, 0),
    ]);
    quick.a = 400;
    await send([
      quick.says({ name: 'started' }, 0),
      quick.says({ name: 'ended', outcome: 'completed' }, 400),
    ]);
    agents.work(6000, 800);
    await stall(stuck);
    await prometheus.scraped();
    await stall(wrong);
    await stall(new ScriptedAgent('later', openai));
    wrong.a += 500;
    await send([wrong.says({ name: 'step' }, 0, { phase: 'tool', calls }), wrong.beat()]);
    const unusable =
      '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"eventName":"turnwatch.turn.heartbeat"}]}]}]}';
    const headers = { 'content-type': 'application/json' };
    await fetch(`${running.url}/v1/logs`, { method: 'POST', headers, body: unusable });
    await send([engine(3000, 0)]);
    running.pass(1);
    await send([engine(4000, 0)]);
    running.pass(1);
    await send([engine(4000, 20)]);
    await prometheus.scraped();
    running.pass(1);
    await send([engine(5000, 20)]);
    running.pass(1);
    await send([engine(5000, 60), { type: 'process', origin: tool.beat().origin, name: 'suspending' }]);
    agents.work(9000, 1900);
    running.clocks.advance(40_000);
    running.detector.tick();
    await sink.until(3);
    await prometheus.scraped();
    await prometheus.scraped();
  }

  test.each(panelQueries())('$where', async ({ expr }) => {
    const found = await prometheus.query(expr);
    const said = found.filter(({ value }) => Number.isFinite(value));
    expect(said, expr).not.toEqual([]);
  });

  test('what happened is what the numbers say', async () => {
    expect(await one('turnwatch_turns{state="stale"}')).toBe(2);
    expect(await one('sum(turnwatch_turns_stale{reason="silence", provider="openai", phase="agent"})')).toBe(
      2,
    );
    expect(await one('sum(turnwatch_turn_verdicts_total)')).toBe(3);
    expect(await one('sum(turnwatch_turn_recovered_total)')).toBe(1);
    expect(await one('sum(turnwatch_turn_expired_total)')).toBe(1);
    expect(await one('turnwatch_turns_open{phase="waiting"}')).toBe(1);
    expect(await one('turnwatch_turns_open{phase="first_token"}')).toBe(1);
    expect(await one('turnwatch_turns_open{phase="tool"}')).toBe(2);
    expect(await one('turnwatch_engine_queued')).toBe(2);
    expect(await one('turnwatch_engine_tokens_read_total')).toBe(4000);
    expect(await one('turnwatch_engine_tokens_generated_total')).toBe(60);
    expect(await one('turnwatch_sources_suspensions_total')).toBe(1);
    expect(await one('sum(turnwatch_delivery_attempts_total{outcome="delivered"})')).toBeGreaterThanOrEqual(
      3,
    );
    expect(await one('sum(turnwatch_ingest_refused_total)')).toBe(1);
    expect(await one('turnwatch_path_healthy{path="direct"}')).toBe(1);
    expect(await one('sum(turnwatch_tokens_reread_total)')).toBe(15_000);
    expect(await one('turnwatch_detector_paused_seconds_total')).toBeGreaterThan(30);
  });

  test('counts that came to be with their series are not lost', async () => {
    const recorded = (name: string) => one(`sum(${name}{job="turnwatch"})`);
    // `increase` extrapolates, and never to less than was there.
    expect(await recorded('job:turnwatch_turn_verdicts:increase1h')).toBeCloseTo(3, 0);
    expect(await recorded('job:turnwatch_turn_recovered:increase1h')).toBeCloseTo(1, 0);
    expect(await recorded('job:turnwatch_turn_expired:increase1h')).toBeCloseTo(1, 0);
    expect(await recorded('job:turnwatch_detection_all:increase1h')).toBeCloseTo(4, 0);
  });

  test('every rule is evaluated without an error, and the right alerts are on their way', async () => {
    const rules = await prometheus.rules();
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
    const named = (...states: string[]): string[] =>
      rules.flatMap(({ name, state }) => (states.includes(state ?? '') ? [name] : []));
    expect(named('pending', 'firing')).toEqual(
      expect.arrayContaining([
        'TurnwatchTurnsStale',
        'TurnwatchWebhookBacklog',
        'TurnwatchTurnsExpired',
        'TurnwatchRecordsRefused',
        // By script: the held clocks leap four seconds beyond what was due, three times.
        'TurnwatchDetectionBudgetBurn1h',
      ]),
    );
    const firing = named('firing');
    expect(firing).toContain('TurnwatchTurnsExpired');
    expect(firing).not.toContain('TurnwatchStaleSurge');
    expect(firing).not.toContain('TurnwatchDeadLetters');
  });
});
