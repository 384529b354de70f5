import type { MetricSpec } from './metrics.ts';

export type DeliveryMetricKey =
  | 'outboxBacklog'
  | 'deliveryAttempts'
  | 'deadLetters'
  | 'superseded'
  | 'endpoints'
  | 'deliveryDelay';

/** Whether agents hear of what became of their turns. */
export const deliveryMetrics: Readonly<Record<DeliveryMetricKey, MetricSpec>> = {
  outboxBacklog: {
    name: 'turnwatch.outbox.backlog',
    unit: '{event}',
    kind: 'gauge',
    labels: ['endpoint'],
    help: 'Events that wait for their delivery.',
  },
  deliveryAttempts: {
    name: 'turnwatch.delivery.attempts',
    unit: '{attempt}',
    kind: 'counter',
    labels: ['endpoint', 'outcome'],
    help: 'Attempts to deliver an event: delivered, retry (it failed and is tried again), dead.',
  },
  deadLetters: {
    name: 'turnwatch.delivery.dead_letters',
    unit: '{event}',
    kind: 'gauge',
    labels: ['endpoint'],
    help: 'Events given up after the last attempt and not replayed yet.',
  },
  superseded: {
    name: 'turnwatch.delivery.superseded',
    unit: '{event}',
    kind: 'counter',
    labels: ['endpoint'],
    help: 'Waiting events that the delivery of a newer one of their turn made worthless.',
  },
  endpoints: {
    name: 'turnwatch.endpoints',
    unit: '{endpoint}',
    kind: 'gauge',
    labels: ['state'],
    help: 'Webhook endpoints: active, paused (failing for long, queue kept), disabled (answered 410).',
  },
  deliveryDelay: {
    name: 'turnwatch.delivery.delay_seconds',
    unit: 's',
    kind: 'histogram',
    labels: ['endpoint'],
    help: 'From the instant at which an event was made to the answer that took it, retries included.',
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 60, 600, 3600],
  },
};
