import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordings } from '../../../dashboards/src/alerts/recordings.ts';
import { alerts } from '../../../dashboards/src/alerts/rules-file.ts';
import { dashboards } from '../../../dashboards/src/grafana/all.ts';
import { dashboardOf } from '../../../dashboards/src/grafana/dashboard.ts';
import { filledIn, panelQueries, type Variables } from '../../../dashboards/src/testing/panel-query.ts';
import { isMissing } from '../program.ts';
import { faultsOf } from './answer.ts';
import { answers } from './answers.ts';
import { PanelScene } from './panel-scene.ts';

const places = [...new Set(panelQueries().map(({ place }) => place))];
const [first] = dashboards;
if (first === undefined) throw new Error('no dashboard');
const { templating, annotations } = dashboardOf(first);
const variables = (templating?.list ?? []).flatMap(({ name, type, query }) => {
  const [, selector = '', label = ''] = /^label_values\((.+), (\w+)\)$/.exec(String(query)) ?? [];
  return type === 'query' ? [{ name, selector, label }] : [];
});

/** What each variable offers, where the panels are asked with all of it. */
const offered: Readonly<Record<string, readonly string[]>> = {
  job: ['turnwatch'],
  provider: ['anthropic', 'demo', 'openai'],
  model: ['fast', 'scripted', 'scripted-model', 'slow'],
  // worker-2 was killed in its only turn. By the Collector's exporter the first and the last, by OTLP the other.
  agents: ['demo-agent', 'hindered-agent', 'worker-1'],
  collectors: ['collector'],
};

/** Annotations that this scene has nothing for, and why. */
const unmarked: Readonly<Record<string, string>> = { Restarts: 'the detector is started once' };
/** Of the machine's pace: they may be there. */
const byLoad =
  /^Detector stood still$|^Turnwatch(TickLate|NotJudging|IngestLagHigh|(Detection|Delivery)BudgetBurn)/;

/** For a minute or more before they fire: the scene may be shorter. */
const onTheirWay = [
  'TurnwatchCollectorLosesRecords',
  'TurnwatchRecordsRefused',
  'TurnwatchSourceUnreachable',
  'TurnwatchTurnsExpired',
  'TurnwatchTurnsStale',
  'TurnwatchWebhookBacklog',
];

const missing = isMissing('otelcol') || isMissing('prometheus');

describe.skipIf(missing)('agents, the Collector, the detector and Prometheus', { timeout: 30_000 }, () => {
  const scene = new PanelScene();
  const selected: Record<string, string> = { $instance: '.+' };
  beforeAll(() => scene.play(110_000), 120_000);
  afterAll(() => scene.end(), 30_000);
  const query = (expr: string) => scene.prometheus.query(filledIn(expr, selected satisfies Variables));

  test.each(variables)('the variable $name offers what is there', async ({ name, selector, label }) => {
    const values = await scene.prometheus.labelValues(label, filledIn(selector, selected));
    if (name === 'instance') expect(values).toHaveLength(1);
    else expect(values).toEqual(offered[name]);
    selected[`$${name}`] = values.join('|');
  });

  test('each panel has its answer, and no other', () => {
    expect(Object.keys(answers).sort()).toEqual([...places].sort());
  });

  test.each(places)('%s', async (place) => {
    const queries = panelQueries(selected).filter((each) => each.place === place);
    const all = answers[place] ?? [];
    expect(all).toHaveLength(queries.length);
    for (const [index, { expr, legend }] of queries.entries()) {
      const answer = all[index];
      if (answer === undefined) continue;
      expect(faultsOf(answer, legend, await scene.prometheus.query(expr)), expr).toEqual([]);
    }
  });

  test.each(
    (annotations?.list ?? []).flatMap(({ name, ...more }) =>
      'expr' in more ? [{ name, expr: String(more.expr) }] : [],
    ),
  )('the mark $name', async ({ name, expr }) => {
    const found = await query(`max_over_time((${expr})[10m:1s])`);
    if (name in unmarked) expect(found, unmarked[name]).toEqual([]);
    else if (!byLoad.test(name)) expect(found).not.toEqual([]);
  });

  test('what came while the detector was away waited in the Collector, and Prometheus saw both', async () => {
    const [queue] = await query(
      'max_over_time(otelcol_exporter_queue_size{exporter="otlp_http/turnwatch"}[10m])',
    );
    expect(queue?.value).toBeGreaterThanOrEqual(2);
    const down = await query('max_over_time(ALERTS{alertname="TurnwatchDetectorDown"}[10m])');
    expect(down.map(({ labels }) => labels.alertstate)).toContain('pending');
  });

  test('what agents gave the Collector is what the detector had of it', async () => {
    const sum = async (series: string): Promise<number> =>
      (await query(`sum(${series})`))[0]?.value ?? Number.NaN;
    // Agents go on meanwhile: each is counted before it is counted behind.
    const received = await sum('turnwatch_ingest_records_total{path="collector", signal="logs"}');
    expect(await sum('otelcol_exporter_sent_log_records_total')).toBeGreaterThanOrEqual(received - 20);
    expect(received).toBeGreaterThan(100);
    expect(await query('turnwatch_ingest_records_total{path!="collector"}')).toEqual([]);
  });

  test('every rule is evaluated without an error', async () => {
    const rules = await scene.prometheus.rules();
    expect(rules.map(({ name }) => name).sort()).toEqual(
      [...recordings.map(({ record }) => record), ...alerts.map(({ name }) => name)].sort(),
    );
    expect(rules.filter(({ health, lastError }) => health !== 'ok' || lastError !== undefined)).toEqual([]);
  });

  test.each(recordings)('the rule $record has series, one of them of the detector', async ({ record }) => {
    const found = await query(record);
    expect(found.map(({ labels }) => labels.job)).toContain('turnwatch');
    for (const { value } of found) expect(Number.isFinite(value)).toBe(true);
  });

  test('the right alerts are on their way, and no others', async () => {
    const rules = await scene.prometheus.rules();
    const active = rules.filter(({ state }) => state === 'pending' || state === 'firing');
    expect(
      active
        .map(({ name }) => name)
        .filter((name) => !byLoad.test(name))
        .sort(),
    ).toEqual(onTheirWay);
    expect(active.find(({ name }) => name === 'TurnwatchTurnsExpired')?.state).toBe('firing');
    const stale = await query('ALERTS{alertname="TurnwatchTurnsStale"}');
    expect(stale.map(({ labels }) => `${labels.provider} ${labels.reason}`).sort()).toEqual([
      'openai process_unreachable',
      'openai silence',
      'openai tool_silence',
    ]);
  });
});
