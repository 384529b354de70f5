import type { MetricSpec } from './metrics.ts';

export type EngineMetricKey =
  | 'engines'
  | 'engineQueue'
  | 'engineRead'
  | 'engineReading'
  | 'engineGenerated'
  | 'engineGenerating';

/** Local engines, as their probes tell the detector; all engines of a detector together. */
export const engineMetrics: Readonly<Record<EngineMetricKey, MetricSpec>> = {
  engines: {
    name: 'turnwatch.engines',
    unit: '{engine}',
    kind: 'gauge',
    labels: ['state'],
    help: 'Engines heard of in the last minute, by state: idle, busy, unloaded, unreachable.',
  },
  engineQueue: {
    name: 'turnwatch.engine.queued',
    unit: '{request}',
    kind: 'gauge',
    labels: [],
    help: 'Requests that wait for a slot.',
  },
  engineRead: {
    name: 'turnwatch.engine.tokens_read',
    unit: '{token}',
    kind: 'counter',
    labels: [],
    help: 'Prompt tokens that engines have read.',
  },
  engineReading: {
    name: 'turnwatch.engine.reading_seconds',
    unit: 's',
    kind: 'counter',
    labels: [],
    help: 'Time in which slots read prompts: with the tokens read, the speed of reading.',
  },
  engineGenerated: {
    name: 'turnwatch.engine.tokens_generated',
    unit: '{token}',
    kind: 'counter',
    labels: [],
    help: 'Tokens that engines have generated.',
  },
  engineGenerating: {
    name: 'turnwatch.engine.generating_seconds',
    unit: 's',
    kind: 'counter',
    labels: [],
    help: 'Time in which slots generated tokens.',
  },
};
