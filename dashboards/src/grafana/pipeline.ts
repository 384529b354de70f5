import { limits } from '../limits.ts';
import { grown, inPanel as of, orZero, quantile } from '../promql.ts';
import { collectorRow } from './collector-row.ts';
import { statusColors } from './colors.ts';
import type { DashboardSpec } from './dashboard.ts';
import { detectorRow } from './detector-row.ts';

export const pipeline: DashboardSpec = {
  id: 'pipeline',
  title: 'Pipeline',
  description:
    'Is the detector blind? What comes in, how late, what is refused, and how the detector itself fares.',
  rows: [
    {
      title: 'Is the detector blind?',
      panels: [
        {
          title: 'Paths',
          kind: 'stat',
          unit: 'count',
          description:
            'Whether the detector’s own probe comes back by each path. While one is broken no turn behind it is judged or blamed. Look at the Collector of that path.',
          queries: [{ expr: `min by (path) (${of('pathHealthy')})`, legend: '{{path}}' }],
          words: { '0': { text: 'BLIND', color: 'red' }, '1': { text: 'sees', color: 'green' } },
          critical: 1,
          below: true,
          width: 6,
          alert: 'TurnwatchDetectorBlind',
        },
        {
          title: 'Last judgement',
          kind: 'stat',
          unit: 's',
          description:
            'Since the last tick. Normal: below a second. Beyond three /healthz fails: restart it.',
          queries: [{ expr: `max(${of('lastTickAge')})`, legend: 'age' }],
          critical: limits.tickAgeS,
          alert: 'TurnwatchNotJudging',
        },
        {
          title: 'Store',
          kind: 'stat',
          unit: 'count',
          description:
            'Whether it can be written. If not, verdicts wait in memory: free the disk, do not restart.',
          queries: [{ expr: `min(${of('storeHealthy')})`, legend: 'store' }],
          words: { '0': { text: 'NOT WRITABLE', color: 'red' }, '1': { text: 'writes', color: 'green' } },
          critical: 1,
          below: true,
          alert: 'TurnwatchStoreUnwritable',
        },
        {
          title: 'Sources not heard of',
          kind: 'stat',
          unit: 'count',
          description:
            'Agent processes with open turns that fell silent while their path works. Normal: 0. Look at their hosts.',
          queries: [{ expr: `sum(${of('unreachableSources')})`, legend: 'unreachable' }],
          warn: limits.unreachableSources,
          alert: 'TurnwatchSourceUnreachable',
        },
        {
          title: 'Records a second',
          kind: 'stat',
          unit: 'short',
          description: 'All that comes in, ours or not. Each agent process sends at least one a second.',
          queries: [{ expr: `sum(rate(${of('recordsReceived')}[$__rate_interval]))`, legend: 'records/s' }],
          width: 6,
          alert: 'TurnwatchIngestStopped',
        },
      ],
    },
    {
      title: 'What comes in',
      panels: [
        {
          title: 'Age of the canary, by path',
          kind: 'timeseries',
          unit: 's',
          description:
            'Since the newest probe that came back was sent. Normal: one or two seconds, more by slow batches.',
          queries: [{ expr: `max by (path) (${of('canaryAge')})`, legend: '{{path}}' }],
          critical: limits.canaryAgeS,
          alert: 'TurnwatchDetectorBlind',
        },
        {
          title: 'Lag of records, p95 by path',
          kind: 'timeseries',
          unit: 's',
          description:
            'From a record’s own instant to its arrival, the difference of the clocks in it. Normal: below a second. A step that stays is a clock; a ramp is a queue.',
          noValue: 'No record in this time',
          queries: [
            {
              expr: quantile(0.95, of('ingestLag', '', '_bucket'), '$__rate_interval', ['path']),
              legend: '{{path}}',
            },
          ],
          warn: limits.ingestLagS,
          alert: 'TurnwatchIngestLagHigh',
        },
        {
          title: 'Records by path and signal',
          kind: 'timeseries',
          unit: 'short',
          description: 'A second. A path that falls to nothing while turns are open has lost its agents.',
          queries: [
            {
              expr: `sum by (path, signal) (rate(${of('recordsReceived')}[$__rate_interval]))`,
              legend: '{{path}} {{signal}}',
            },
          ],
          alert: 'TurnwatchIngestStopped',
        },
        {
          title: 'Answers by status',
          kind: 'timeseries',
          unit: 'short',
          description:
            'Ingest requests a second. 429 and 503: senders keep their records and come again. 400: they are lost.',
          series: statusColors,
          queries: [
            { expr: `sum by (status) (rate(${of('requests')}[$__rate_interval]))`, legend: '{{status}}' },
          ],
        },
        {
          title: 'Refused and ignored',
          kind: 'timeseries',
          unit: 'count',
          series: {
            'records refused': { color: 'red' },
            'requests refused': { color: 'orange' },
            'records ignored': { color: 'blue' },
            'connections closed': { color: 'purple' },
          },
          description:
            'In each ten minutes. Refused records are ours and could not be used; requests are refused as a whole; ignored ones are of others and say nothing of liveness.',
          queries: [
            { expr: orZero(`sum(${grown(of('recordsRefused'), '10m')})`), legend: 'records refused' },
            { expr: orZero(`sum(${grown(of('requestsRefused'), '10m')})`), legend: 'requests refused' },
            { expr: orZero(`sum(${grown(of('recordsIgnored'), '10m')})`), legend: 'records ignored' },
            {
              expr: orZero(`sum(${grown(of('connectionsLost'), '10m')})`),
              legend: 'connections closed',
            },
          ],
          warn: limits.refusedRecords,
          alert: 'TurnwatchRecordsRefused',
        },
        {
          title: 'Sources not heard of, by path',
          kind: 'timeseries',
          unit: 'count',
          description: 'One at a time: a process died. Many of one path at once: a network or a host.',
          queries: [{ expr: `sum by (path) (${of('unreachableSources')})`, legend: '{{path}}' }],
          warn: limits.unreachableSources,
          alert: 'TurnwatchSourceUnreachable',
        },
      ],
    },
    collectorRow,
    detectorRow,
  ],
};
