import type { MetricKey } from '@turnwatch/protocol';
import { type burnRates, objectives } from '../limits.ts';
import { grown, inRule as of, upTo } from '../promql.ts';

export interface Recording {
  readonly record: string;
  readonly expr: string;
}

export type Objective = keyof typeof objectives;

const histogramOf: Readonly<Record<Objective, MetricKey>> = {
  delivery: 'deliveryDelay',
  detection: 'detectionDelay',
};

/** Windows of all burn rates, short ones first. */
const windows: readonly string[] = ['5m', '30m', '1h', '2h', '6h', '1d', '3d'];

/** Cases in a window, and those that missed what is promised. Never a share: two shares cannot be added up. */
export function counted(objective: Objective, what: 'all' | 'missed', window: string): string {
  return `job:turnwatch_${objective}_${what}:increase${window}`;
}

function recordingsOf(objective: Objective): Recording[] {
  const key = histogramOf[objective];
  const { withinS } = objectives[objective];
  return windows.flatMap((window) => {
    const answered = `sum by (job) (${grown(of(key, '', '_count'), window)})`;
    const inTime = `sum by (job) (${grown(of(key, upTo(withinS), '_bucket'), window)})`;
    const late = `${answered} - ${inTime}`;
    if (objective === 'detection')
      return [
        { record: counted(objective, 'missed', window), expr: late },
        { record: counted(objective, 'all', window), expr: answered },
      ];
    // An event that was given up has no delay, and was not delivered in time.
    const dead = `sum by (job) (${grown(of('deliveryAttempts', 'outcome="dead"'), window)})`;
    const plusDead = (expr: string): string => `(${expr} or 0 * ${dead}) + (${dead} or 0 * ${answered})`;
    return [
      { record: counted(objective, 'missed', window), expr: plusDead(`(${late})`) },
      { record: counted(objective, 'all', window), expr: plusDead(answered) },
    ];
  });
}

export const recordings: readonly Recording[] = [
  ...recordingsOf('delivery'),
  ...recordingsOf('detection'),
  {
    record: 'job_provider:turnwatch_turn_verdicts:increase5m',
    expr: `sum by (job, provider) (${grown(of('verdicts'), '5m')})`,
  },
  { record: 'job:turnwatch_turn_verdicts:increase1h', expr: `sum by (job) (${grown(of('verdicts'), '1h')})` },
  {
    record: 'job:turnwatch_turn_recovered:increase1h',
    expr: `sum by (job) (${grown(of('recovered'), '1h')})`,
  },
  { record: 'job:turnwatch_turn_expired:increase1h', expr: `sum by (job) (${grown(of('expired'), '1h')})` },
  {
    record: 'job:turnwatch_ingest_records:rate5m',
    expr: `sum by (job) (rate(${of('recordsReceived')}[5m]))`,
  },
  {
    record: 'job_path:turnwatch_ingest_lag_seconds:p95_5m',
    expr: `histogram_quantile(0.95, sum by (job, path, le) (rate(${of('ingestLag', '', '_bucket')}[5m])))`,
  },
];

/** The share that missed over two windows, as the alert asks for it. */
export function burning(objective: Objective, rate: (typeof burnRates)[number], fewest: number): string {
  const limit = `${rate.factor} * ${objectives[objective].mayMiss}`;
  const share = (window: string): string =>
    `${counted(objective, 'missed', window)} / ${counted(objective, 'all', window)} > ${limit}`;
  return `${share(rate.long)} and ${share(rate.short)} and ${counted(objective, 'missed', rate.long)} >= ${fewest}`;
}
