import { limits } from '../limits.ts';
import { grown, toDetector } from '../promql.ts';
import type { AlertSpec, Given } from './alert.ts';

const exporter = 'otlp_http/turnwatch';
const queue = (values: string): Given[] => [
  { metric: 'otelcol_exporter_queue_size', labels: { exporter }, values },
  { metric: 'otelcol_exporter_queue_capacity', labels: { exporter }, values: '200000x20' },
];
const failed = (values: string): Given[] => [
  { metric: 'otelcol_exporter_send_failed_log_records_total', labels: { exporter }, values },
];

/** What lies between agents and detector, by the Collector's own metrics. Silent where none is scraped. */
export const collectorAlerts: readonly AlertSpec[] = [
  {
    name: 'TurnwatchCollectorQueueFilling',
    expr: `max by (job, exporter) (otelcol_exporter_queue_size{${toDetector}} / otelcol_exporter_queue_capacity{${toDetector}}) > ${limits.collectorQueueShare}`,
    for: '5m',
    severity: 'warning',
    about: 'source',
    summary: "The Collector's queue {{ $labels.exporter }} fills up",
    description:
      '{{ $value | humanizePercentage }} of it are used: the detector takes less than agents send. When it is full the Collector holds the agents back; nothing is lost yet.',
    dashboard: 'pipeline',
    fires: { given: queue('0 150000x15'), at: '8m', labels: { exporter }, says: '75%' },
    quiet: { given: queue('0 150000 150000 0x15'), at: '8m' },
  },
  {
    name: 'TurnwatchCollectorLosesRecords',
    expr: `sum by (job, exporter) (${grown(`otelcol_exporter_send_failed_log_records_total{${toDetector}}`, '10m')}) >= ${limits.collectorLost}`,
    for: '1m',
    severity: 'warning',
    about: 'source',
    summary: 'The Collector drops records: {{ $labels.exporter }}',
    description:
      '{{ $value | humanize }} in ten minutes that the detector refused for good, or that no retry saved. What they tell of turns is not known.',
    dashboard: 'pipeline',
    fires: { given: failed('_ 40x15'), at: '8m', labels: { exporter }, says: '40' },
    quiet: { given: failed('40x15'), at: '14m' },
  },
];
