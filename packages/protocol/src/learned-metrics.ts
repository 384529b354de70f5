import type { MetricSpec } from './metrics.ts';

export type LearnedMetricKey =
  | 'learnedThreshold'
  | 'learnedGap'
  | 'learnedSamples'
  | 'learnedCensored'
  | 'learnedBackoff';

const learned = {
  kind: 'gauge',
  labels: ['provider', 'model', 'phase'],
} as const;

/** What the detector has learned, by key. Only the keys with the most samples are shown. */
export const learnedMetrics: Readonly<Record<LearnedMetricKey, MetricSpec>> = {
  learnedThreshold: {
    ...learned,
    name: 'turnwatch.learned.threshold_seconds',
    unit: 's',
    help: 'Silence that is allowed now, its confirm window left out; prompt sizes that are known raise it.',
  },
  learnedGap: {
    ...learned,
    name: 'turnwatch.learned.largest_gap_seconds',
    unit: 's',
    help: 'Largest gap of a healthy turn that counts.',
  },
  learnedSamples: {
    ...learned,
    name: 'turnwatch.learned.samples',
    unit: '{turn}',
    help: 'Healthy turns that taught a key; the default threshold holds until there are enough.',
  },
  learnedCensored: {
    ...learned,
    name: 'turnwatch.learned.censored',
    unit: '{gap}',
    help: 'Gaps of turns that a time-out, a person or a verdict ended: they teach nothing.',
  },
  learnedBackoff: {
    ...learned,
    name: 'turnwatch.learned.backoff',
    unit: '{step}',
    help: 'How many times the threshold of a key is raised for verdicts that were refuted; 1 when none was.',
  },
};
