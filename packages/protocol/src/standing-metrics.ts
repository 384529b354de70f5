import type { MetricSpec } from './metrics.ts';

export type StandingMetricKey =
  | 'openTurns'
  | 'staleTurns'
  | 'oldestStale'
  | 'oldestSilence'
  | 'oldestSilenceThreshold';

/** How the open turns stand, without a word of which turn. */
export const standingMetrics: Readonly<Record<StandingMetricKey, MetricSpec>> = {
  openTurns: {
    name: 'turnwatch.turns.open',
    unit: '{turn}',
    kind: 'gauge',
    labels: ['phase'],
    help: 'Open turns by what they do: first_token is reading the prompt, waiting is for a person or a time.',
  },
  staleTurns: {
    name: 'turnwatch.turns.stale',
    unit: '{turn}',
    kind: 'gauge',
    labels: ['reason', 'provider', 'model', 'phase'],
    help: 'Open turns that are stale now.',
  },
  oldestStale: {
    name: 'turnwatch.turn.oldest_stale_seconds',
    unit: 's',
    kind: 'gauge',
    labels: ['reason', 'provider', 'model', 'phase'],
    help: 'Since the oldest verdict among the turns that are stale now.',
  },
  oldestSilence: {
    name: 'turnwatch.turn.oldest_silence_seconds',
    unit: 's',
    kind: 'gauge',
    labels: [],
    help: 'Longest proven silence among the open turns whose clock runs.',
  },
  oldestSilenceThreshold: {
    name: 'turnwatch.turn.oldest_silence_threshold_seconds',
    unit: 's',
    kind: 'gauge',
    labels: [],
    help: 'Threshold and confirm window of the turn with the longest proven silence: beyond it that turn is stale.',
  },
};
