import { limits } from '../limits.ts';
import { inRule as of } from '../promql.ts';
import type { AlertSpec } from './alert.ts';

/** What makes every other alert worthless while it lasts; looked at first. */
export const blindAlerts: readonly AlertSpec[] = [
  {
    name: 'TurnwatchDetectorDown',
    expr: 'up{job="turnwatch"} == 0 or absent(up{job="turnwatch"})',
    for: '1m',
    severity: 'critical',
    about: 'blind',
    summary: 'Prometheus cannot reach the detector',
    description:
      'Nobody watches turns: no verdict, no message to any parent. Silence of other alerts means nothing.',
    dashboard: 'pipeline',
    fires: {
      given: [{ metric: 'up', values: '1 1 0x5' }],
      at: '4m',
      labels: { job: 'turnwatch', instance: 'detector:4318' },
    },
    quiet: { given: [{ metric: 'up', values: '1 0 1x5' }], at: '4m' },
  },
  {
    name: 'TurnwatchDetectorBlind',
    expr: `${of('pathHealthy')} == 0 or ${of('canaryAge')} > ${limits.canaryAgeS}`,
    for: '30s',
    keepFiringFor: '1m',
    severity: 'critical',
    about: 'blind',
    summary: 'The detector does not see what comes by the path {{ $labels.path }}',
    description:
      'Its own probe does not come back through {{ $labels.path }}. Turns behind it are neither judged nor blamed; those that stop now are found when the path works again.',
    dashboard: 'pipeline',
    fires: {
      given: [
        { metric: 'pathHealthy', labels: { path: 'collector' }, values: '1 1 0x5' },
        { metric: 'canaryAge', labels: { path: 'direct' }, values: '1x8' },
      ],
      at: '4m',
      labels: { path: 'collector' },
    },
    quiet: {
      given: [
        { metric: 'pathHealthy', labels: { path: 'collector' }, values: '1x8' },
        { metric: 'canaryAge', labels: { path: 'collector' }, values: '1 1 4x8' },
      ],
      at: '5m',
    },
  },
  {
    name: 'TurnwatchNotJudging',
    expr: `${of('lastTickAge')} > ${limits.tickAgeS}`,
    for: '30s',
    severity: 'critical',
    about: 'blind',
    summary: 'The detector answers but does not judge',
    description: 'Its last judgement is {{ $value | humanizeDuration }} old; one a second is normal.',
    dashboard: 'pipeline',
    fires: {
      given: [{ metric: 'lastTickAge', values: '0.5 0.5 60x5' }],
      at: '5m',
      labels: {},
      says: '1m 0s',
    },
    quiet: { given: [{ metric: 'lastTickAge', values: '0.5 2.9x8' }], at: '5m' },
  },
  {
    name: 'TurnwatchStoreUnwritable',
    expr: `${of('storeHealthy')} == 0`,
    for: '1m',
    severity: 'critical',
    about: 'detector',
    summary: 'The detector cannot write its store',
    description:
      'Verdicts wait in memory, batches are refused for now and agents keep them. A restart loses what waits, and does not mend a full disk.',
    dashboard: 'pipeline',
    fires: { given: [{ metric: 'storeHealthy', values: '1 0x6' }], at: '5m', labels: {} },
    quiet: { given: [{ metric: 'storeHealthy', values: '1 1 0 1x6' }], at: '5m' },
  },
  {
    name: 'TurnwatchIngestStopped',
    expr: `sum by (job) (${of('openTurns')}) > 0 and on (job) sum by (job) (increase(${of('ingestLag', '', '_count')}[5m])) == 0`,
    for: '1m',
    severity: 'critical',
    about: 'blind',
    summary: 'No record of any agent has come for five minutes, and turns are open',
    description:
      '{{ $value }} turns are open and nothing of them arrives: their processes or what lies between is gone. Heartbeats come every second when all is well.',
    dashboard: 'pipeline',
    fires: {
      given: [
        { metric: 'openTurns', labels: { phase: 'text' }, values: '4x20' },
        { metric: 'ingestLag', suffix: '_count', labels: { path: 'direct' }, values: '0 60 120x18' },
      ],
      at: '12m',
      labels: {},
      says: '4',
    },
    quiet: {
      given: [
        { metric: 'openTurns', labels: { phase: 'text' }, values: '0x20' },
        { metric: 'ingestLag', suffix: '_count', labels: { path: 'direct' }, values: '0 60 120x18' },
      ],
      at: '12m',
    },
  },
  {
    name: 'TurnwatchIngestLagHigh',
    expr: `job_path:turnwatch_ingest_lag_seconds:p95_5m > ${limits.ingestLagS}`,
    for: '5m',
    severity: 'warning',
    about: 'source',
    summary: 'Records of the path {{ $labels.path }} come late',
    description:
      'One in twenty is older than {{ $value | humanizeDuration }}: verdicts on turns without heartbeats come later, or a clock is wrong.',
    dashboard: 'pipeline',
    fires: {
      given: [
        { metric: 'ingestLag', suffix: '_bucket', labels: { path: 'collector', le: '10' }, values: '0+0x20' },
        {
          metric: 'ingestLag',
          suffix: '_bucket',
          labels: { path: 'collector', le: '30' },
          values: '0+60x20',
        },
        {
          metric: 'ingestLag',
          suffix: '_bucket',
          labels: { path: 'collector', le: '+Inf' },
          values: '0+60x20',
        },
      ],
      at: '12m',
      labels: { path: 'collector' },
      says: '29s',
    },
    quiet: {
      given: [
        {
          metric: 'ingestLag',
          suffix: '_bucket',
          labels: { path: 'collector', le: '10' },
          values: '0+60x20',
        },
        {
          metric: 'ingestLag',
          suffix: '_bucket',
          labels: { path: 'collector', le: '30' },
          values: '0+60x20',
        },
        {
          metric: 'ingestLag',
          suffix: '_bucket',
          labels: { path: 'collector', le: '+Inf' },
          values: '0+60x20',
        },
      ],
      at: '12m',
    },
  },
  {
    name: 'TurnwatchSourceUnreachable',
    expr: `sum by (job, path) (${of('unreachableSources')}) >= ${limits.unreachableSources}`,
    for: '1m',
    severity: 'warning',
    about: 'source',
    summary: '{{ $value }} agent processes behind {{ $labels.path }} are not heard of',
    description:
      'They have open turns, and the path itself works. They died, their hosts did, or the network between is cut; their turns go stale for this one reason.',
    dashboard: 'pipeline',
    fires: {
      given: [{ metric: 'unreachableSources', labels: { path: 'direct' }, values: '0 2x8' }],
      at: '5m',
      labels: { path: 'direct' },
      says: '2',
    },
    quiet: {
      given: [{ metric: 'unreachableSources', labels: { path: 'direct' }, values: '0 0 1 0x8' }],
      at: '5m',
    },
  },
];
