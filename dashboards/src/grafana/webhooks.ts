import { counted } from '../alerts/recordings.ts';
import { limits, objectives } from '../limits.ts';
import { counts, grown, inPanel as of, orZero, rareQuantile, shareOf } from '../promql.ts';
import { attemptColors, endpointColors, quantileColors } from './colors.ts';
import type { DashboardSpec } from './dashboard.ts';

const recorded = (name: string): string => `${name}{job=~"$job"}`;

export const webhooks: DashboardSpec = {
  id: 'webhooks',
  title: 'Webhooks',
  description: 'Do parents hear of it: what waits, what was tried, what was given up, and how long it took.',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Events that wait',
          kind: 'stat',
          unit: 'count',
          description:
            'Normal: 0, or for seconds. Minutes: an endpoint does not answer, and parents behind it are not told.',
          queries: [{ expr: orZero(`sum(${of('outboxBacklog')})`), legend: 'waiting' }],
          warn: limits.backlog,
          alert: 'TurnwatchWebhookBacklog',
        },
        {
          title: 'Dead letters',
          kind: 'stat',
          unit: 'count',
          description:
            'Events that were given up. Mend the endpoint, then replay them: POST /v1/deliveries/EVENT:ENDPOINT/replay.',
          queries: [{ expr: orZero(`sum(${of('deadLetters')})`), legend: 'dead' }],
          critical: limits.deadLetters,
          alert: 'TurnwatchDeadLetters',
        },
        {
          title: 'Endpoints that get nothing',
          kind: 'stat',
          unit: 'count',
          description: 'Paused after long failure, or disabled by an answer of 410.',
          queries: [{ expr: `sum(${of('endpoints', 'state=~"paused|disabled"')})`, legend: 'stopped' }],
          warn: limits.pausedEndpoints,
          alert: 'TurnwatchEndpointStopped',
        },
        {
          title: 'Time to the handler, p99',
          kind: 'stat',
          unit: 's',
          description:
            'From the instant at which an event was made to the answer that took it, retries included.',
          noValue: 'no event',
          queries: [{ expr: rareQuantile(0.99, of('deliveryDelay', '', '_bucket'), '1h'), legend: 'p99' }],
          critical: objectives.delivery.withinS,
          width: 6,
          alert: 'TurnwatchDeliveryBudgetBurn',
        },
        {
          title: 'Late or lost, last hour',
          kind: 'stat',
          unit: 'percentunit',
          description: `Share of events that took longer than ${objectives.delivery.withinS} s or were given up. Normal: below ${objectives.delivery.mayMiss * 100} %.`,
          queries: [
            {
              expr: shareOf(
                `sum(${recorded(counted('delivery', 'missed', '1h'))})`,
                `sum(${recorded(counted('delivery', 'all', '1h'))})`,
              ),
              legend: 'late',
            },
          ],
          critical: objectives.delivery.mayMiss,
          width: 6,
          noValue: 'no event',
          alert: 'TurnwatchDeliveryBudgetBurn',
        },
      ],
    },
    {
      title: 'Over time',
      panels: [
        {
          title: 'Events that wait, by endpoint',
          kind: 'timeseries',
          unit: 'count',
          description: 'A ramp is an endpoint that is away; a step that stays is one that refuses.',
          noValue: 'No endpoint',
          queries: [{ expr: `sum by (endpoint) (${of('outboxBacklog')})`, legend: '{{endpoint}}' }],
          warn: limits.backlog,
          alert: 'TurnwatchWebhookBacklog',
        },
        {
          title: 'Time to the handler',
          kind: 'timeseries',
          unit: 's',
          description:
            'Of the events in each hour. Normal: below a second. One slow endpoint does not hold up the others.',
          noValue: 'No event in this time',
          series: quantileColors,
          queries: [0.5, 0.9, 0.99].map((share) => ({
            expr: rareQuantile(share, of('deliveryDelay', '', '_bucket'), '1h'),
            legend: `p${share * 100}`,
          })),
          critical: objectives.delivery.withinS,
          alert: 'TurnwatchDeliveryBudgetBurn',
        },
        {
          title: 'Attempts by outcome',
          kind: 'timeseries',
          unit: 'count',
          description: 'In each five minutes. retry: it failed and will be tried again; dead: given up.',
          noValue: 'Nothing was ever sent',
          series: attemptColors,
          queries: [
            {
              expr: `sum by (endpoint, outcome) (${grown(of('deliveryAttempts'), '5m')})`,
              legend: '{{endpoint}} {{outcome}}',
            },
          ],
          stacked: true,
        },
        {
          title: 'Endpoints by state',
          kind: 'timeseries',
          unit: 'count',
          description:
            'Paused ones keep their queue and are tried again by themselves; disabled ones wait for an operator.',
          series: endpointColors,
          queries: [{ expr: `sum by (state) (${of('endpoints')})`, legend: '{{state}}' }],
          alert: 'TurnwatchEndpointStopped',
        },
      ],
    },
    {
      title: 'Details',
      collapsed: true,
      panels: [
        {
          title: 'Time to the handler, all events',
          kind: 'heatmap',
          unit: 's',
          description: 'Each event by how long it took. A second cloud higher up is retries.',
          noValue: 'No event in this time',
          queries: [
            {
              expr: counts(of('deliveryDelay', '', '_bucket'), '$__rate_interval'),
              legend: '{{le}}',
            },
          ],
        },
        {
          title: 'Dead letters and superseded events',
          kind: 'timeseries',
          unit: 'count',
          description: 'Superseded: a newer event of the turn made it worthless before it was delivered.',
          series: { 'dead letters': { color: 'red' }, 'superseded in an hour': { color: 'blue' } },
          queries: [
            { expr: orZero(`sum(${of('deadLetters')})`), legend: 'dead letters' },
            { expr: orZero(`sum(${grown(of('superseded'), '1h')})`), legend: 'superseded in an hour' },
          ],
          critical: limits.deadLetters,
          alert: 'TurnwatchDeadLetters',
        },
        {
          title: 'Late or lost by window',
          kind: 'timeseries',
          unit: 'percentunit',
          description: 'The shares that the burn-rate alerts compare with their budgets.',
          noValue: 'No event in these windows',
          queries: ['5m', '1h', '6h', '3d'].map((window) => ({
            expr: shareOf(
              `sum(${recorded(counted('delivery', 'missed', window))})`,
              `sum(${recorded(counted('delivery', 'all', window))})`,
            ),
            legend: window,
          })),
          alert: 'TurnwatchDeliveryBudgetBurn',
        },
        {
          title: 'Who waits on the events feed',
          kind: 'timeseries',
          unit: 'count',
          description: 'Parents that poll instead of being called.',
          queries: [{ expr: `sum(${of('feedSubscribers')})`, legend: 'subscribers' }],
        },
      ],
    },
  ],
};
