import { limits } from '../limits.ts';
import { grown, ofCollector, orZeroOfCollector, toDetector } from '../promql.ts';
import type { RowSpec } from './dashboard.ts';

const noCollector = 'no Collector is scraped';

/** What lies between agents and detector, by the Collector’s own metrics. */
export const collectorRow: RowSpec = {
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
};
