import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LiveScene } from './testing/live-scene.ts';
import { panelQueries } from './testing/panel-query.ts';
import { skips } from './testing/programs.ts';

describe.skipIf(skips('prometheus'))('every panel and rule in a real Prometheus', () => {
  const scene = new LiveScene();
  const one = async (expr: string): Promise<number | undefined> =>
    (await scene.prometheus.query(expr))[0]?.value;

  beforeAll(async () => {
    await scene.start();
    await scene.play();
  }, 60_000);
  afterAll(() => scene.stop());

  /** No Collector stands in this scene; test/collector/panels has one. */
  const needsCollector = ({ expr }: { readonly expr: string }): boolean => expr.includes('otelcol_');

  test.each(panelQueries().filter(needsCollector))(
    'without a Collector, nothing: $where',
    async ({ expr }) => {
      expect(await scene.prometheus.query(expr), expr).toEqual([]);
    },
  );

  test.each(panelQueries().filter((query) => !needsCollector(query)))('$where', async ({ expr }) => {
    const found = await scene.prometheus.query(expr);
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
    const rules = await scene.prometheus.rules();
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
