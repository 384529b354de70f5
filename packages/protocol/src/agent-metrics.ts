import type { MetricSpec } from './metrics.ts';

export type AgentMetricKey =
  | 'inferenceDuration'
  | 'firstChunk'
  | 'largestGap'
  | 'rereadTokens'
  | 'lateSettlements'
  | 'refused'
  | 'duplicateEnds';

const inferenceBuckets = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92, 163.84, 327.68,
  655.36, 1310.72,
];

/**
 * The metrics of an agent's process, for people. Names in `gen_ai.` are those of OpenTelemetry's conventions, which have no
 * word of the unit: the Collector and Prometheus add `_seconds` to them, the JavaScript exporter does not.
 */
export const agentMetrics: Readonly<Record<AgentMetricKey, MetricSpec>> = {
  inferenceDuration: {
    name: 'gen_ai.client.inference.duration',
    unit: 's',
    kind: 'histogram',
    labels: ['gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.request.model', 'error.type'],
    help: 'From the start of a request to its last byte or its failure, the sleep of the host left out.',
    buckets: inferenceBuckets,
  },
  firstChunk: {
    name: 'gen_ai.client.inference.time_to_first_chunk',
    unit: 's',
    kind: 'histogram',
    labels: ['gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.request.model'],
    help: 'From the start of a streamed request to its first content; pings and comments are none.',
    buckets: [
      0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60, 120, 300,
      600,
    ],
  },
  largestGap: {
    name: 'turnwatch.gap.largest_seconds',
    unit: 's',
    kind: 'histogram',
    labels: ['provider', 'model', 'phase'],
    help: 'Longest time without activity in a phase of a turn, once for each phase at the end of the turn; waits left out.',
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600],
  },
  rereadTokens: {
    name: 'turnwatch.tokens.reread',
    unit: '{token}',
    kind: 'counter',
    labels: ['provider', 'model', 'outcome'],
    help: 'Input tokens of requests that did not complete and were made again in the same turn, by their outcome.',
  },
  lateSettlements: {
    name: 'turnwatch.turn.late_settlements',
    unit: '{turn}',
    kind: 'counter',
    labels: [],
    help: 'Work that settled after the horizon or the end of its turn, and was ignored.',
  },
  refused: {
    name: 'turnwatch.work.refused',
    unit: '{start}',
    kind: 'counter',
    labels: ['kind'],
    help: 'Starts of turns, requests and tools that were refused: open already, or too many.',
  },
  duplicateEnds: {
    name: 'turnwatch.work.duplicate_ends',
    unit: '{end}',
    kind: 'counter',
    labels: [],
    help: 'Ends of requests and tools that were not open.',
  },
};
