import type { MetricSpec } from './metrics.ts';

export type ProcessMetricKey = 'memory' | 'cpu' | 'startTime' | 'build';

/** What every process is asked for. Names of ours: those of the conventions would differ from one way to the next. */
export const processMetrics: Readonly<Record<ProcessMetricKey, MetricSpec>> = {
  memory: {
    name: 'turnwatch.process.memory_bytes',
    unit: 'By',
    kind: 'gauge',
    labels: ['kind'],
    help: 'Memory of the process: resident, heap (used), external (buffers).',
  },
  cpu: {
    name: 'turnwatch.process.cpu_seconds',
    unit: 's',
    kind: 'counter',
    labels: ['kind'],
    help: 'Processor time of the process since its start: user, system.',
  },
  startTime: {
    name: 'turnwatch.process.start_time_seconds',
    unit: 's',
    kind: 'gauge',
    labels: [],
    help: 'When the process started, in seconds since the epoch.',
  },
  build: {
    name: 'turnwatch.build',
    unit: '{build}',
    kind: 'gauge',
    labels: ['version', 'node'],
    help: 'Always 1; which version runs, on which Node.',
  },
};
