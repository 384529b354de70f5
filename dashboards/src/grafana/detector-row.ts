import { limits } from '../limits.ts';
import { grown, inPanel as of, orZero, quantile } from '../promql.ts';
import type { RowSpec } from './dashboard.ts';

/** How the detector itself fares: its ticks, its store, its process. */
export const detectorRow: RowSpec = {
  title: 'The detector itself',
  collapsed: true,
  panels: [
    {
      title: 'Lateness and length of ticks, p99',
      kind: 'timeseries',
      unit: 's',
      description: 'How late a judgement begins and how long it takes. Normal: some ten milliseconds.',
      queries: [
        {
          expr: quantile(0.99, of('tickLateness', '', '_bucket'), '$__rate_interval'),
          legend: 'lateness',
        },
        { expr: quantile(0.99, of('tickDuration', '', '_bucket'), '$__rate_interval'), legend: 'length' },
      ],
      warn: limits.tickLatenessS,
      alert: 'TurnwatchTickLate',
    },
    {
      title: 'Transactions of the store, p99',
      kind: 'timeseries',
      unit: 's',
      description: 'Normal: milliseconds. Tenths of a second are a slow or shared disk.',
      noValue: 'No transaction in this time',
      series: { ok: { color: 'green' }, failed: { color: 'red' } },
      queries: [
        {
          expr: quantile(0.99, of('commitDuration', '', '_bucket'), '$__rate_interval', ['outcome']),
          legend: '{{outcome}}',
        },
      ],
    },
    {
      title: 'Memory',
      kind: 'timeseries',
      unit: 'bytes',
      description: 'It follows the number of turns that are kept. A heap that only climbs is worth a report.',
      queries: [{ expr: `sum by (kind) (${of('memory')})`, legend: '{{kind}}' }],
    },
    {
      title: 'Processor time',
      kind: 'timeseries',
      unit: 'percentunit',
      description: 'Of one core. Beyond 70 % ticks come late.',
      queries: [{ expr: `sum by (kind) (rate(${of('cpu')}[$__rate_interval]))`, legend: '{{kind}}' }],
    },
    {
      title: 'Versions and starts',
      kind: 'table',
      unit: 'count',
      description: 'Which version runs where, and how often it started again in the last hour. Normal: 0.',
      columns: [
        { of: 'instance', title: 'Instance' },
        { of: 'version', title: 'Version' },
        { of: 'node', title: 'Node' },
        { of: 'Value', title: 'Starts in the last hour' },
      ],
      queries: [
        {
          expr: `max by (instance, version, node) (${of('build')}) * on (instance) group_left () max by (instance) (changes(${of('startTime')}[1h]))`,
          legend: '',
        },
      ],
      alert: 'TurnwatchRestarting',
    },
    {
      title: 'Refused for their token',
      kind: 'timeseries',
      unit: 'short',
      description: 'Requests a second. Normal: 0. 401: unknown or missing; 403: not allowed to.',
      queries: [{ expr: orZero(`sum(rate(${of('unauthorized')}[$__rate_interval]))`), legend: 'refused' }],
      warn: limits.unauthorizedPerS,
      alert: 'TurnwatchTokensTried',
    },
    {
      title: 'Sleep and pauses',
      kind: 'timeseries',
      unit: 'count',
      description:
        'Hosts that announced their sleep, and seconds in which the detector stood still, in each hour. Neither is silence of a turn.',
      series: { 'detector paused': { unit: 's' } },
      queries: [
        { expr: orZero(`sum(${grown(of('suspensions'), '1h')})`), legend: 'hosts asleep' },
        { expr: orZero(`sum(${grown(of('paused'), '1h')})`), legend: 'detector paused' },
      ],
    },
    {
      title: 'Plugins and the dead-man’s switch',
      kind: 'timeseries',
      unit: 'count',
      description: 'Failures in each ten minutes. Normal: none.',
      queries: [
        { expr: orZero(`sum(${grown(of('pluginFailures'), '10m')})`), legend: 'plugin failures' },
        {
          expr: orZero(`sum(${grown(of('deadmanPings', 'outcome="failed"'), '10m')})`),
          legend: 'pings failed',
        },
      ],
      warn: limits.pluginFailures,
      alert: 'TurnwatchPluginFailing',
    },
  ],
};
