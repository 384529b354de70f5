import { counted } from '../alerts/recordings.ts';
import { limits, objectives } from '../limits.ts';
import { counts, grown, inPanel as of, ofAgents, orZero, rareQuantile, shareOf } from '../promql.ts';
import { quantileColors } from './colors.ts';
import type { DashboardSpec } from './dashboard.ts';

const who = 'provider=~"$provider", model=~"$model"';
const recorded = (name: string): string => `${name}{job=~"$job"}`;

export const detection: DashboardSpec = {
  id: 'detection',
  title: 'Detection quality',
  description: 'How soon a stopped turn is found, how often we are wrong, and what was learned to judge by.',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Delay of a verdict, p99',
          kind: 'stat',
          unit: 's',
          description:
            'From the instant at which a verdict was due (threshold and confirm window, T + C) to the instant at which it was made. Normal: below a second.',
          noValue: 'no verdict',
          queries: [{ expr: rareQuantile(0.99, of('detectionDelay', '', '_bucket'), '1h'), legend: 'p99' }],
          critical: objectives.detection.withinS,
          width: 6,
          alert: 'TurnwatchDetectionBudgetBurn',
        },
        {
          title: 'Late verdicts, last hour',
          kind: 'stat',
          unit: 'percentunit',
          description: `Share of verdicts later than T + C + ${objectives.detection.withinS} s. Normal: below ${objectives.detection.mayMiss * 100} %.`,
          queries: [
            {
              expr: shareOf(
                `sum(${recorded(counted('detection', 'missed', '1h'))})`,
                `sum(${recorded(counted('detection', 'all', '1h'))})`,
              ),
              legend: 'late',
            },
          ],
          critical: objectives.detection.mayMiss,
          width: 6,
          noValue: 'no verdict',
          alert: 'TurnwatchDetectionBudgetBurn',
        },
        {
          title: 'False flags, last day',
          kind: 'stat',
          unit: 'percentunit',
          description:
            'Share of verdicts that work refuted afterwards. Normal: a few in a hundred while thresholds are learned, then fewer. More: choose preset strict, or raise the thresholds of that key.',
          queries: [
            {
              expr: shareOf(
                orZero(`sum(${grown(of('recovered'), '1d')})`),
                `sum(${grown(of('verdicts'), '1d')})`,
              ),
              legend: 'false flags',
            },
          ],
          critical: limits.falseFlagShare,
          width: 6,
          noValue: 'no verdict',
          alert: 'TurnwatchFalseFlags',
        },
        {
          title: 'Keys that have learned',
          kind: 'stat',
          unit: 'count',
          description:
            'Provider, model and phase make a key. Until a key has enough samples its default threshold holds.',
          queries: [{ expr: `count(${of('learnedSamples')})`, legend: 'keys' }],
          width: 6,
        },
      ],
    },
    {
      title: 'Over time',
      panels: [
        {
          title: 'Delay of a verdict',
          kind: 'timeseries',
          unit: 's',
          description:
            'Beyond T + C, of the verdicts in each hour. A second is the grain of ticks; more means a late detector or a slow path.',
          noValue: 'No verdict in this time',
          series: quantileColors,
          queries: [0.5, 0.9, 0.99].map((share) => ({
            expr: rareQuantile(share, of('detectionDelay', '', '_bucket'), '1h'),
            legend: `p${share * 100}`,
          })),
          critical: objectives.detection.withinS,
          alert: 'TurnwatchDetectionBudgetBurn',
        },
        {
          title: 'Verdicts and those that were wrong',
          kind: 'timeseries',
          unit: 'count',
          description:
            'In each hour. Wrong ones in a row on one key: its thresholds are too short for what runs now.',
          noValue: 'No verdict in this time',
          series: { verdicts: { color: 'blue' }, wrong: { color: 'red' } },
          queries: [
            { expr: `sum(${grown(of('verdicts', who), '1h')})`, legend: 'verdicts' },
            { expr: `sum(${grown(of('recovered', who), '1h')})`, legend: 'wrong' },
          ],
        },
        {
          title: 'Thresholds by key',
          kind: 'timeseries',
          unit: 's',
          description:
            'Silence that is allowed. It falls as samples come, and rises after a verdict that was wrong.',
          many: true,
          log: true,
          noValue: 'Nothing was learned yet, or nobody scrapes',
          queries: [
            {
              expr: `max by (provider, model, phase) (${of('learnedThreshold', who)})`,
              legend: '{{provider}} {{model}} {{phase}}',
            },
          ],
        },
        {
          title: 'Largest healthy gap by key',
          kind: 'timeseries',
          unit: 's',
          description:
            'What thresholds are made of. A jump is one odd turn: exclude its gap on the page of baselines.',
          many: true,
          log: true,
          noValue: 'Nothing was learned yet, or nobody scrapes',
          queries: [
            {
              expr: `max by (provider, model, phase) (${of('learnedGap', who)})`,
              legend: '{{provider}} {{model}} {{phase}}',
            },
          ],
        },
        {
          title: 'Gaps within turns, as agents see them',
          kind: 'heatmap',
          unit: 's',
          description:
            'Largest time without activity in each phase of a turn. A cloud that moves up towards the thresholds is a provider that slows down.',
          noValue: 'No metrics of agents: see docs/dashboards.md',
          queries: [
            {
              expr: counts(ofAgents('largestGap', who, '_bucket'), '$__rate_interval'),
              legend: '{{le}}',
            },
          ],
        },
        {
          title: 'Delays of verdicts',
          kind: 'heatmap',
          unit: 's',
          description: 'Each verdict by how late it was. Normal: all in the lowest rows.',
          noValue: 'No verdict in this time',
          queries: [
            {
              expr: counts(of('detectionDelay', '', '_bucket'), '$__rate_interval'),
              legend: '{{le}}',
            },
          ],
        },
      ],
    },
    {
      title: 'What was learned',
      collapsed: true,
      panels: [
        {
          title: 'What each key has learned',
          kind: 'table',
          unit: 'count',
          description:
            'Samples: healthy turns that taught it; from 20 on the measured threshold holds. Censored: gaps that a time-out, a person or a verdict ended, which teach nothing; many beside few samples mean that somebody else kills turns first. Back-off: how many times its threshold is raised after wrong verdicts; normal: 1.',
          noValue: 'Nothing was learned yet, or nobody scrapes',
          columns: [
            { of: 'provider', title: 'Provider' },
            { of: 'model', title: 'Model' },
            { of: 'phase', title: 'Phase' },
            { of: 'Value #A', title: 'Samples' },
            { of: 'Value #B', title: 'Censored' },
            { of: 'Value #C', title: 'Largest healthy gap', unit: 's' },
            { of: 'Value #D', title: 'Threshold', unit: 's' },
            { of: 'Value #E', title: 'Back-off', unit: 'short' },
          ],
          queries: [
            { expr: `sum by (provider, model, phase) (${of('learnedSamples', who)})`, legend: '' },
            { expr: `sum by (provider, model, phase) (${of('learnedCensored', who)})`, legend: '' },
            { expr: `max by (provider, model, phase) (${of('learnedGap', who)})`, legend: '' },
            { expr: `max by (provider, model, phase) (${of('learnedThreshold', who)})`, legend: '' },
            { expr: `max by (provider, model, phase) (${of('learnedBackoff', who)})`, legend: '' },
          ],
          width: 24,
        },
        {
          title: 'Back-off by key',
          kind: 'timeseries',
          unit: 'short',
          description: 'How many times a threshold is raised after verdicts that were wrong. Normal: 1.',
          many: true,
          noValue: 'Nothing was learned yet, or nobody scrapes',
          queries: [
            {
              expr: `max by (provider, model, phase) (${of('learnedBackoff', who)})`,
              legend: '{{provider}} {{model}} {{phase}}',
            },
          ],
        },
        {
          title: 'Late verdicts by window',
          kind: 'timeseries',
          unit: 'percentunit',
          description: 'The shares that the burn-rate alerts compare with their budgets.',
          noValue: 'No verdict in these windows',
          queries: ['5m', '1h', '6h', '3d'].map((window) => ({
            expr: shareOf(
              `sum(${recorded(counted('detection', 'missed', window))})`,
              `sum(${recorded(counted('detection', 'all', window))})`,
            ),
            legend: window,
          })),
          alert: 'TurnwatchDetectionBudgetBurn',
        },
      ],
    },
  ],
};
