import { metrics, prometheusName } from '@turnwatch/protocol';
import { expect, test } from 'vitest';
import { panelQueries } from '../testing/panel-query.ts';
import { dashboards } from './all.ts';
import { dashboardOf } from './dashboard.ts';
import { type Json, lintFaults } from './lint.ts';

const jsonOf = (spec: (typeof dashboards)[number]): Json => JSON.parse(JSON.stringify(dashboardOf(spec)));
const [first] = dashboards;
if (first === undefined) throw new Error('no dashboard');

test.each(dashboards.map((spec) => [spec.title, spec] as const))(
  '%s keeps the rules of the linter',
  (_, spec) => {
    expect(lintFaults(jsonOf(spec))).toEqual([]);
  },
);

test.each<[string, (json: string) => string]>([
  ['uneditable-dashboard', (json) => json.replace('"editable":false', '"editable":true')],
  ['template-job', (json) => json.replace('"name":"job"', '"name":"work"')],
  ['template-instance', (json) => json.replaceAll('"allValue":".+"', '"allValue":".*"')],
  ['template-on-time-change-reload', (json) => json.replaceAll('"refresh":2', '"refresh":1')],
  [
    'template-label-promql',
    (json) => json.replace('label_values(turnwatch_build, job)', 'label_values(turnwatch_build{, job)'),
  ],
  ['panel-datasource', (json) => json.replaceAll('"uid":"$datasource"', '"uid":"abc"')],
  ['panel-title-description', (json) => json.replace('"title":"Stale now"', '"title":""')],
  ['panel-units', (json) => json.replaceAll('"unit":"short"', '"unit":""')],
  ['panel-no-value', (json) => json.replaceAll('"noValue":"no data"', '"noValue":""')],
  ['panel-legend', (json) => json.replaceAll('"showLegend":true', '"showLegend":false')],
  ['stat-instant', (json) => json.replaceAll('"instant":true', '"instant":false')],
  ['table-time', (json) => json.replaceAll('"Time":true', '"Time":false')],
  ['table-columns: Value #B', (json) => json.replaceAll('"Value #B":"Stale for"', '"Value":"Stale for"')],
  ['target-legend', (json) => json.replaceAll('"legendFormat":"stale"', '"legendFormat":""')],
  ['target-nan', (json) => json.replaceAll(' >= 0', '')],
  ['target-promql', (json) => json.replaceAll('sum(turnwatch', 'sum((turnwatch')],
  ['target-job', (json) => json.replaceAll('job=~\\"$job\\", ', '')],
  ['target-instance', (json) => json.replaceAll(', instance=~\\"$instance\\"', '')],
  ['target-rate-interval', (json) => json.replaceAll('[5m]', '[7m]')],
  ['target-counter-agg', (json) => json.replaceAll('increase(', 'abs(').replaceAll('[5m])', ')')],
])('the linter finds %s', (rule, spoil) => {
  const json = JSON.stringify(dashboardOf(first));
  const spoilt = spoil(json);
  expect(spoilt).not.toBe(json);
  expect(lintFaults(JSON.parse(spoilt)).some((fault) => fault.includes(rule))).toBe(true);
});

test('every metric of a panel is one of the catalogue', () => {
  const known = new Set(Object.values(metrics).map(prometheusName));
  const ofAgents = ['turnwatch_gap_largest_seconds', 'turnwatch_tokens_reread_total'];
  for (const { expr, where } of panelQueries())
    for (const [name] of expr.matchAll(/(?<![:\w"])turnwatch_\w+/g)) {
      const base = name.replace(/_(bucket|sum|count)$/, '');
      expect(known.has(base) || known.has(name) || ofAgents.includes(base), `${where}: ${name}`).toBe(true);
    }
});

test('uids are single, and no id of a turn is asked for', () => {
  expect(new Set(dashboards.map(({ id }) => id)).size).toBe(dashboards.length);
  for (const { expr } of panelQueries()) expect(expr).not.toMatch(/by \([^)]*(turn|session|call|request)\b/);
});
