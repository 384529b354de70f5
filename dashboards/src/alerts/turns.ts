import { limits } from '../limits.ts';
import { grown, inRule as of } from '../promql.ts';
import type { AlertSpec } from './alert.ts';

const who = { reason: 'silence', provider: 'openai', model: 'gpt-5', phase: 'text' } as const;

/** What has become of turns. */
export const turnAlerts: readonly AlertSpec[] = [
  {
    name: 'TurnwatchTurnsStale',
    expr: `sum by (job, provider, reason) (${of('staleTurns')}) >= ${limits.staleTurns}`,
    for: '1m',
    severity: 'warning',
    about: 'turns',
    summary: '{{ $value }} turns on {{ $labels.provider }} are stale: {{ $labels.reason }}',
    description:
      'They have been silent for longer than healthy turns ever are. Their parents have been told; this is for people who want to see it.',
    dashboard: 'turns',
    fires: {
      given: [{ metric: 'staleTurns', labels: who, values: '0 2x8' }],
      at: '5m',
      labels: { provider: 'openai', reason: 'silence' },
      says: '2',
    },
    quiet: { given: [{ metric: 'staleTurns', labels: who, values: '0 0 1 0x8' }], at: '5m' },
  },
  {
    name: 'TurnwatchStaleSurge',
    expr: `job_provider:turnwatch_turn_verdicts:increase5m >= ${limits.staleSurge}`,
    keepFiringFor: '5m',
    severity: 'critical',
    about: 'turns',
    summary: 'Turns on {{ $labels.provider }} go stale in numbers',
    description:
      '{{ $value | humanize }} verdicts in five minutes. So many at once have one cause: the provider, an engine, a network.',
    dashboard: 'turns',
    fires: {
      given: [{ metric: 'verdicts', labels: who, values: '_ _ 14x8' }],
      at: '4m',
      labels: { provider: 'openai' },
      says: '14',
    },
    quiet: { given: [{ metric: 'verdicts', labels: who, values: '_ _ 9x8' }], at: '4m' },
  },
  {
    name: 'TurnwatchTurnsExpired',
    expr: `job:turnwatch_turn_expired:increase1h >= ${limits.expiredTurns}`,
    severity: 'warning',
    about: 'turns',
    summary: 'Turns ran past their horizon',
    description:
      '{{ $value | humanize }} in the last hour. Nothing settles a turn later than that; its place is free again.',
    dashboard: 'turns',
    fires: {
      given: [{ metric: 'expired', labels: { state: 'stale' }, values: '_ _ 2x8' }],
      at: '5m',
      labels: {},
      says: '2',
    },
    quiet: { given: [{ metric: 'expired', labels: { state: 'stale' }, values: '2x90' }], at: '80m' },
  },
  {
    name: 'TurnwatchFalseFlags',
    expr: `job:turnwatch_turn_recovered:increase1h / job:turnwatch_turn_verdicts:increase1h > ${limits.falseFlagShare} and job:turnwatch_turn_recovered:increase1h >= ${limits.falseFlagsAtLeast}`,
    severity: 'warning',
    about: 'quality',
    summary: 'Verdicts turn out wrong',
    description:
      '{{ $value | humanizePercentage }} of the verdicts of the last hour were refuted by work that went on: thresholds are too short for what runs now.',
    dashboard: 'detection',
    fires: {
      given: [
        { metric: 'verdicts', labels: who, values: '_ 8x20' },
        { metric: 'recovered', labels: who, values: '_ 4x20' },
      ],
      at: '10m',
      labels: {},
      says: '50%',
    },
    quiet: {
      given: [
        { metric: 'verdicts', labels: who, values: '_ 8x20' },
        { metric: 'recovered', labels: who, values: '_ 1x20' },
      ],
      at: '10m',
    },
  },
];

/** Whether agents hear of it. */
export const deliveryAlerts: readonly AlertSpec[] = [
  {
    name: 'TurnwatchWebhookBacklog',
    expr: `${of('outboxBacklog')} >= ${limits.backlog}`,
    for: '5m',
    severity: 'warning',
    about: 'delivery',
    summary: 'Events for {{ $labels.endpoint }} wait',
    description: '{{ $value }} events wait for their delivery; parents behind that endpoint are not told.',
    dashboard: 'webhooks',
    fires: {
      given: [{ metric: 'outboxBacklog', labels: { endpoint: 'ops' }, values: '0 3x12' }],
      at: '8m',
      labels: { endpoint: 'ops' },
      says: '3',
    },
    quiet: {
      given: [{ metric: 'outboxBacklog', labels: { endpoint: 'ops' }, values: '0 3 3 0 5 5 0x12' }],
      at: '8m',
    },
  },
  {
    name: 'TurnwatchDeadLetters',
    expr: `${of('deadLetters')} >= ${limits.deadLetters}`,
    severity: 'warning',
    about: 'delivery',
    summary: 'Events for {{ $labels.endpoint }} were given up',
    description: '{{ $value }} events had their last attempt. They are kept until somebody replays them.',
    dashboard: 'webhooks',
    fires: {
      given: [{ metric: 'deadLetters', labels: { endpoint: 'ops' }, values: '0 1x5' }],
      at: '3m',
      labels: { endpoint: 'ops' },
      says: '1',
    },
    quiet: { given: [{ metric: 'deadLetters', labels: { endpoint: 'ops' }, values: '0x5' }], at: '3m' },
  },
  {
    name: 'TurnwatchEndpointStopped',
    expr: `sum by (job) (${of('endpoints', 'state=~"paused|disabled"')}) >= ${limits.pausedEndpoints}`,
    for: '5m',
    severity: 'warning',
    about: 'delivery',
    summary: '{{ $value }} webhook endpoints get nothing',
    description:
      'Paused: it failed for long, the queue is kept. Disabled: it answered 410 and is asked no more.',
    dashboard: 'webhooks',
    fires: {
      given: [{ metric: 'endpoints', labels: { state: 'paused' }, values: '0 1x12' }],
      at: '8m',
      labels: {},
      says: '1',
    },
    quiet: {
      given: [
        { metric: 'endpoints', labels: { state: 'paused' }, values: '0x12' },
        { metric: 'endpoints', labels: { state: 'active' }, values: '3x12' },
      ],
      at: '8m',
    },
  },
];

/** How the detector itself is. */
export const detectorAlerts: readonly AlertSpec[] = [
  {
    name: 'TurnwatchTickLate',
    expr: `histogram_quantile(0.99, sum by (job, le) (rate(${of('tickLateness', '', '_bucket')}[5m]))) > ${limits.tickLatenessS}`,
    for: '5m',
    severity: 'warning',
    about: 'detector',
    summary: 'The detector is late',
    description:
      'One judgement in a hundred begins {{ $value | humanizeDuration }} late: the process has too little processor time, or too much to do.',
    dashboard: 'pipeline',
    fires: {
      given: [
        { metric: 'tickLateness', suffix: '_bucket', labels: { le: '0.5' }, values: '0+0x20' },
        { metric: 'tickLateness', suffix: '_bucket', labels: { le: '1' }, values: '0+60x20' },
        { metric: 'tickLateness', suffix: '_bucket', labels: { le: '+Inf' }, values: '0+60x20' },
      ],
      at: '12m',
      labels: {},
      says: '995ms',
    },
    quiet: {
      given: [
        { metric: 'tickLateness', suffix: '_bucket', labels: { le: '0.5' }, values: '0+60x20' },
        { metric: 'tickLateness', suffix: '_bucket', labels: { le: '1' }, values: '0+60x20' },
        { metric: 'tickLateness', suffix: '_bucket', labels: { le: '+Inf' }, values: '0+60x20' },
      ],
      at: '12m',
    },
  },
  {
    name: 'TurnwatchRestarting',
    expr: `changes(${of('startTime')}[15m]) >= ${limits.restarts}`,
    severity: 'warning',
    about: 'detector',
    summary: 'The detector starts over and over',
    description:
      '{{ $value }} starts in a quarter of an hour. It goes on from its store each time, but judges nothing in between.',
    dashboard: 'pipeline',
    fires: { given: [{ metric: 'startTime', values: '1 1 2 2 3 3 4 4x6' }], at: '9m', labels: {}, says: '3' },
    quiet: { given: [{ metric: 'startTime', values: '1 1 2x12' }], at: '9m' },
  },
  {
    name: 'TurnwatchRecordsRefused',
    expr: `sum by (job, path, reason) (${grown(of('recordsRefused'), '10m')}) >= ${limits.refusedRecords}`,
    for: '5m',
    severity: 'warning',
    about: 'access',
    summary: 'Records of the path {{ $labels.path }} are refused: {{ $labels.reason }}',
    description: 'Turns that they are about are not watched, or not by what they say.',
    dashboard: 'pipeline',
    fires: {
      given: [
        { metric: 'recordsRefused', labels: { path: 'direct', reason: 'unusable' }, values: '_ 5+5x20' },
      ],
      at: '10m',
      labels: { path: 'direct', reason: 'unusable' },
    },
    quiet: {
      given: [{ metric: 'recordsRefused', labels: { path: 'direct', reason: 'unusable' }, values: '5x40' }],
      at: '20m',
    },
  },
  {
    name: 'TurnwatchTokensTried',
    expr: `sum by (job) (rate(${of('unauthorized')}[5m])) > ${limits.unauthorizedPerS}`,
    for: '5m',
    severity: 'warning',
    about: 'access',
    summary: 'Requests are refused for their token',
    description: '{{ $value | humanize }} a second: an agent with an old token, or somebody who tries them.',
    dashboard: 'pipeline',
    fires: {
      given: [{ metric: 'unauthorized', labels: { status: '401' }, values: '0+120x20' }],
      at: '12m',
      labels: {},
      says: '2',
    },
    quiet: { given: [{ metric: 'unauthorized', labels: { status: '401' }, values: '0+30x20' }], at: '12m' },
  },
  {
    name: 'TurnwatchDeadmanFailing',
    expr: `sum by (job) (${grown(of('deadmanPings', 'outcome="failed"'), '10m')}) >= ${limits.deadmanFailures}`,
    severity: 'warning',
    about: 'detector',
    summary: "The dead-man's switch is not reached",
    description:
      '{{ $value | humanize }} pings failed in ten minutes: the service that is to call you if all of this is gone will call you for nothing.',
    dashboard: 'pipeline',
    fires: {
      given: [{ metric: 'deadmanPings', labels: { outcome: 'failed' }, values: '_ 4x8' }],
      at: '5m',
      labels: {},
      says: '4',
    },
    quiet: { given: [{ metric: 'deadmanPings', labels: { outcome: 'failed' }, values: '_ 2x8' }], at: '5m' },
  },
  {
    name: 'TurnwatchPluginFailing',
    expr: `sum by (job, plugin, reason) (${grown(of('pluginFailures'), '10m')}) >= ${limits.pluginFailures}`,
    for: '5m',
    severity: 'warning',
    about: 'detector',
    summary: 'The plugin {{ $labels.plugin }} fails: {{ $labels.reason }}',
    description: 'What it was to map, probe or tell is left out; the detector goes on.',
    dashboard: 'pipeline',
    fires: {
      given: [
        {
          metric: 'pluginFailures',
          labels: { plugin: 'slack', kind: 'sink', reason: 'threw' },
          values: '_ 1+1x20',
        },
      ],
      at: '10m',
      labels: { plugin: 'slack', reason: 'threw' },
    },
    quiet: {
      given: [
        {
          metric: 'pluginFailures',
          labels: { plugin: 'slack', kind: 'sink', reason: 'threw' },
          values: '1x40',
        },
      ],
      at: '20m',
    },
  },
];
