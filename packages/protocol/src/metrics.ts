import { type DeliveryMetricKey, deliveryMetrics } from './delivery-metrics.ts';
import { type EngineMetricKey, engineMetrics } from './engine-metrics.ts';
import { type LearnedMetricKey, learnedMetrics } from './learned-metrics.ts';
import { type PluginMetricKey, pluginMetrics } from './plugin-metrics.ts';
import { type ProcessMetricKey, processMetrics } from './process-metrics.ts';
import { type StandingMetricKey, standingMetrics } from './standing-metrics.ts';

export type MetricKind = 'counter' | 'gauge' | 'histogram';

/**
 * All labels that a metric may have. No id of a turn, session, request or call is ever one of them. `provider` and
 * `model` are words of the producers: whoever records bounds how many of them it lets in.
 */
export type MetricLabel =
  | 'state'
  | 'reason'
  | 'provider'
  | 'model'
  | 'phase'
  | 'path'
  | 'status'
  | 'endpoint'
  | 'outcome'
  | 'kind'
  | 'version'
  | 'node'
  | 'signal'
  | 'maker'
  | 'plugin'
  | 'gen_ai.operation.name'
  | 'gen_ai.provider.name'
  | 'gen_ai.request.model'
  | 'error.type';

export interface MetricSpec {
  /**
   * OpenTelemetry name. It ends in the word of its unit where it has one: the detector's own exporter adds no unit
   * suffix, the Collector and Prometheus add it only where it is not there yet. So all three agree on one name.
   */
  readonly name: string;
  /** UCUM; `{...}` for things that are counted. Never `1`: the Collector makes `_ratio` of it. */
  readonly unit: string;
  readonly kind: MetricKind;
  readonly labels: readonly MetricLabel[];
  readonly help: string;
  /** Upper bounds of the histogram's buckets, in `unit`. */
  readonly buckets?: readonly number[];
}

export type MetricKey =
  | 'turns'
  | 'verdicts'
  | 'recovered'
  | 'expired'
  | 'detectionDelay'
  | 'recordsReceived'
  | 'recordsRefused'
  | 'recordsIgnored'
  | 'requests'
  | 'requestsRefused'
  | 'connectionsLost'
  | 'ingestLag'
  | 'tickDuration'
  | 'lastTickAge'
  | 'canaryAge'
  | 'unreachableSources'
  | 'storeHealthy'
  | 'feedSubscribers'
  | 'unauthorized'
  | 'deadmanPings'
  | 'commitDuration'
  | 'tickLateness'
  | 'pathHealthy'
  | 'suspensions'
  | 'paused'
  | DeliveryMetricKey
  | LearnedMetricKey
  | StandingMetricKey
  | EngineMetricKey
  | PluginMetricKey
  | ProcessMetricKey;

/** The metrics of the detector: the one catalogue that code, dashboards and alerts take their names from. */
export const metrics: Readonly<Record<MetricKey, MetricSpec>> = {
  turns: {
    name: 'turnwatch.turns',
    unit: '{turn}',
    kind: 'gauge',
    labels: ['state'],
    help: 'Turns that are watched, by state.',
  },
  verdicts: {
    name: 'turnwatch.turn.verdicts',
    unit: '{verdict}',
    kind: 'counter',
    labels: ['reason', 'provider', 'model', 'phase'],
    help: 'Turns found stale, once for each episode.',
  },
  recovered: {
    name: 'turnwatch.turn.recovered',
    unit: '{turn}',
    kind: 'counter',
    labels: ['reason', 'provider', 'model', 'phase'],
    help: 'Stale verdicts that turned out wrong: the false flags.',
  },
  expired: {
    name: 'turnwatch.turn.expired',
    unit: '{turn}',
    kind: 'counter',
    labels: ['state'],
    help: 'Turns that passed their horizon, by the state before it.',
  },
  detectionDelay: {
    name: 'turnwatch.detection.delay_seconds',
    unit: 's',
    kind: 'histogram',
    labels: ['reason'],
    help: 'From the instant at which a verdict was due to the instant at which it was made.',
    buckets: [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300],
  },
  recordsReceived: {
    name: 'turnwatch.ingest.records',
    unit: '{record}',
    kind: 'counter',
    labels: ['path', 'signal'],
    help: 'Log records, spans and data points received, ours or not.',
  },
  recordsRefused: {
    name: 'turnwatch.ingest.refused',
    unit: '{record}',
    kind: 'counter',
    labels: ['path', 'reason'],
    help: 'Log records of ours that were refused: unusable, not_owner, too_many, not_mergeable.',
  },
  recordsIgnored: {
    name: 'turnwatch.ingest.ignored',
    unit: '{record}',
    kind: 'counter',
    labels: ['path', 'signal', 'maker'],
    help: 'Records that nothing is judged from, by whose they are; nothing of them is kept.',
  },
  requests: {
    name: 'turnwatch.ingest.requests',
    unit: '{request}',
    kind: 'counter',
    labels: ['path', 'status'],
    help: 'Ingest requests answered, by HTTP status.',
  },
  requestsRefused: {
    name: 'turnwatch.ingest.requests_refused',
    unit: '{request}',
    kind: 'counter',
    labels: ['path', 'signal', 'reason'],
    help: 'Ingest requests refused as a whole, by why.',
  },
  connectionsLost: {
    name: 'turnwatch.http.connections_lost',
    unit: '{connection}',
    kind: 'counter',
    labels: ['reason'],
    help: 'Connections closed to make room for new ones: address_full (of one remote address), full (of all).',
  },
  ingestLag: {
    name: 'turnwatch.ingest.lag_seconds',
    unit: 's',
    kind: 'histogram',
    labels: ['path'],
    help: "From a record's own wall instant to its arrival; the skew of the two clocks is in it.",
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300],
  },
  tickDuration: {
    name: 'turnwatch.tick.duration_seconds',
    unit: 's',
    kind: 'histogram',
    labels: [],
    help: 'How long one judgement of all turns takes.',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1],
  },
  lastTickAge: {
    name: 'turnwatch.tick.age_seconds',
    unit: 's',
    kind: 'gauge',
    labels: [],
    help: 'Since the last tick; healthy below 3.',
  },
  canaryAge: {
    name: 'turnwatch.canary.age_seconds',
    unit: 's',
    kind: 'gauge',
    labels: ['path'],
    help: "Since the detector's own probe last came back through a path.",
  },
  unreachableSources: {
    name: 'turnwatch.sources.unreachable',
    unit: '{source}',
    kind: 'gauge',
    labels: ['path'],
    help: 'Processes with open turns that are not heard of.',
  },
  storeHealthy: {
    name: 'turnwatch.store.healthy',
    unit: '{store}',
    kind: 'gauge',
    labels: [],
    help: 'Whether the store can be written: 1, or 0 while verdicts wait in memory.',
  },
  feedSubscribers: {
    name: 'turnwatch.feed.subscribers',
    unit: '{subscriber}',
    kind: 'gauge',
    labels: [],
    help: 'Requests that wait on the events feed.',
  },
  unauthorized: {
    name: 'turnwatch.http.unauthorized',
    unit: '{request}',
    kind: 'counter',
    labels: ['status'],
    help: 'Requests refused for their token: 401 unknown or missing, 403 not allowed to.',
  },
  deadmanPings: {
    name: 'turnwatch.deadman.pings',
    unit: '{ping}',
    kind: 'counter',
    labels: ['outcome'],
    help: "Pings of the dead-man's switch: ok, failed.",
  },
  commitDuration: {
    name: 'turnwatch.store.commit_duration_seconds',
    unit: 's',
    kind: 'histogram',
    labels: ['outcome'],
    help: 'How long the store takes for one transaction: ok, failed.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
  },
  tickLateness: {
    name: 'turnwatch.tick.lateness_seconds',
    unit: 's',
    kind: 'histogram',
    labels: [],
    help: 'How much later than a second after the one before a tick begins: the lag of the event loop.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
  },
  pathHealthy: {
    name: 'turnwatch.path.healthy',
    unit: '{path}',
    kind: 'gauge',
    labels: ['path'],
    help: "Whether the detector's own probe comes back through a path: 1, or 0 while nothing behind it can be judged.",
  },
  suspensions: {
    name: 'turnwatch.sources.suspensions',
    unit: '{suspension}',
    kind: 'counter',
    labels: ['path'],
    help: 'Processes that announced that their host goes to sleep.',
  },
  paused: {
    name: 'turnwatch.detector.paused_seconds',
    unit: 's',
    kind: 'counter',
    labels: [],
    help: 'Time in which the detector stood still, by sleep or load; nothing is judged by it.',
  },
  ...standingMetrics,
  ...deliveryMetrics,
  ...learnedMetrics,
  ...engineMetrics,
  ...processMetrics,
  ...pluginMetrics,
};

/** Name of a metric in Prometheus, the same from a scrape, through the Collector and by OTLP. */
export function prometheusName(metric: MetricSpec): string {
  const name = metric.name.replace(/[^a-zA-Z0-9_]/g, '_');
  return metric.kind === 'counter' ? `${name}_total` : name;
}
