import { limits } from '../limits.ts';
import {
  grown,
  inPanel as of,
  ofCollector,
  orZero,
  orZeroOfCollector,
  quantile,
  toDetector,
} from '../promql.ts';
import { statusColors } from './colors.ts';
import type { DashboardSpec } from './dashboard.ts';

const noCollector = 'no Collector is scraped';

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
    {
      title: 'The Collector before it',
      panels: [
        {
          title: 'What waits in the Collector',
          kind: 'timeseries',
          unit: 'count',
          description:
            'Records in the queues of its exporters to the detector. Normal: 0, or a batch. A ramp is a detector that is away or refuses; the queue is on disk, nothing is lost before it is full, and it drains when the detector is back.',
          queries: [
            {
              expr: `sum by (exporter) (${ofCollector('otelcol_exporter_queue_size', toDetector)})`,
              legend: '{{exporter}}',
            },
          ],
          noValue: noCollector,
        },
        {
          title: 'How full its queue is',
          kind: 'timeseries',
          unit: 'percentunit',
          description:
            'Of its capacity. Full: the Collector holds the agents back, and they keep the newest state of each turn.',
          queries: [
            {
              expr: `max by (exporter) (${ofCollector('otelcol_exporter_queue_size', toDetector)} / ${ofCollector('otelcol_exporter_queue_capacity', toDetector)}) >= 0`,
              legend: '{{exporter}}',
            },
          ],
          warn: limits.collectorQueueShare,
          alert: 'TurnwatchCollectorQueueFilling',
          noValue: noCollector,
        },
        {
          title: 'Records in and out of the Collector',
          kind: 'timeseries',
          unit: 'count',
          description:
            'In each five minutes: what agents gave it, and what the detector took of it. Normal: the same.',
          queries: [
            {
              expr: `sum(${grown(ofCollector('otelcol_receiver_accepted_log_records_total'), '5m')})`,
              legend: 'from agents',
            },
            {
              expr: `sum(${grown(ofCollector('otelcol_exporter_sent_log_records_total', toDetector), '5m')})`,
              legend: 'to the detector',
            },
          ],
          noValue: noCollector,
        },
        {
          title: 'Records that the Collector did not take or lost',
          kind: 'timeseries',
          unit: 'count',
          description:
            'In each ten minutes. refused: senders were told to come again, by a full queue or little memory. failed: the detector refused them for good (its token, their size), and they are lost. not queued: the disk or a full queue.',
          series: {
            refused: { color: 'orange' },
            failed: { color: 'red' },
            'not queued': { color: 'purple' },
          },
          queries: [
            {
              expr: orZeroOfCollector(
                `sum(${grown(ofCollector('otelcol_receiver_refused_log_records_total'), '10m')})`,
              ),
              legend: 'refused',
            },
            {
              expr: orZeroOfCollector(
                `sum(${grown(ofCollector('otelcol_exporter_send_failed_log_records_total', toDetector), '10m')})`,
              ),
              legend: 'failed',
            },
            {
              expr: orZeroOfCollector(
                `sum(${grown(ofCollector('otelcol_exporter_enqueue_failed_log_records_total', toDetector), '10m')})`,
              ),
              legend: 'not queued',
            },
          ],
          warn: limits.collectorLost,
          alert: 'TurnwatchCollectorLosesRecords',
          noValue: noCollector,
        },
      ],
    },
    {
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
          description:
            'It follows the number of turns that are kept. A heap that only climbs is worth a report.',
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
          description:
            'Which version runs where, and how often it started again in the last hour. Normal: 0.',
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
          queries: [
            { expr: orZero(`sum(rate(${of('unauthorized')}[$__rate_interval]))`), legend: 'refused' },
          ],
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
    },
  ],
};
