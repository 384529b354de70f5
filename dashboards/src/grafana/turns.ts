import { limits } from '../limits.ts';
import { grown, inPanel as of, orZero, shareOf } from '../promql.ts';
import { phaseColors, reasonColors, stateColors } from './colors.ts';
import type { DashboardSpec } from './dashboard.ts';

const who = 'provider=~"$provider", model=~"$model"';

export const turns: DashboardSpec = {
  id: 'turns',
  title: 'Turns',
  description: 'What is stalled now, on what, since when; and how turns have fared.',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'The detector sees',
          kind: 'stat',
          unit: 'count',
          description:
            'Whether its own probe comes back by every path. While it is blind on one, or not scraped at all, zeros on this page prove nothing: see Pipeline.',
          queries: [{ expr: `min(${of('pathHealthy')}) or vector(0)`, legend: 'sees' }],
          words: { '0': { text: 'BLIND', color: 'red' }, '1': { text: 'yes', color: 'green' } },
          critical: 1,
          below: true,
          alert: 'TurnwatchDetectorBlind',
        },
        {
          title: 'Stale now',
          kind: 'stat',
          unit: 'count',
          description:
            'Open turns that have been silent for longer than healthy ones ever are. Normal: 0. Who they are and for whom they work stands on the live page; their parents have been told.',
          queries: [{ expr: `sum(${of('turns', 'state="stale"')})`, legend: 'stale' }],
          warn: limits.staleTurns,
          critical: limits.staleSurge,
          alert: 'TurnwatchTurnsStale',
        },
        {
          title: 'Expired, last hour',
          kind: 'stat',
          unit: 'count',
          description:
            'Turns that ran past their horizon. Normal: 0. Look at what they did last on the live page.',
          queries: [{ expr: orZero(`sum(${grown(of('expired'), '1h')})`), legend: 'expired' }],
          warn: limits.expiredTurns,
          alert: 'TurnwatchTurnsExpired',
        },
        {
          title: 'Nearest to its limit',
          kind: 'stat',
          unit: 'percentunit',
          description:
            'The longest proven silence of a turn whose clock runs, as a share of that turn’s threshold and confirm window. Normal: below 80 %. At 100 % it is stale.',
          queries: [
            {
              expr: orZero(shareOf(`max(${of('oldestSilence')})`, `max(${of('oldestSilenceThreshold')})`)),
              legend: 'of its limit',
            },
          ],
          warn: 0.8,
        },
        {
          title: 'Open turns',
          kind: 'stat',
          unit: 'count',
          description: 'Turns that are watched and have not settled. Normal: as many as your agents run.',
          queries: [{ expr: `sum(${of('openTurns')})`, legend: 'open' }],
        },
        {
          title: 'Wrong verdicts, last hour',
          kind: 'stat',
          unit: 'count',
          description:
            'Stale turns that went on after all: verdicts that were wrong. Normal: far fewer than verdicts. See Detection quality.',
          queries: [{ expr: orZero(`sum(${grown(of('recovered'), '1h')})`), legend: 'recovered' }],
          warn: limits.falseFlagsAtLeast,
          alert: 'TurnwatchFalseFlags',
        },
      ],
    },
    {
      title: 'What is stalled',
      panels: [
        {
          title: 'Stale turns, and since when',
          kind: 'table',
          unit: 'count',
          description:
            'By what they have in common: many on one provider or model are an outage of it, many with process_unreachable a dead host. Stale for: since the oldest verdict of them. Ids are on the live page, never in metrics.',
          columns: [
            { of: 'Value #A', title: 'Turns', width: 70 },
            { of: 'Value #B', title: 'Stale for', unit: 's', width: 100 },
            { of: 'reason', title: 'Reason', width: 170 },
            { of: 'provider', title: 'Provider' },
            { of: 'model', title: 'Model' },
            { of: 'phase', title: 'Phase' },
          ],
          queries: [
            { expr: `sum by (reason, provider, model, phase) (${of('staleTurns', who)})`, legend: '' },
            { expr: `max by (reason, provider, model, phase) (${of('oldestStale', who)})`, legend: '' },
          ],
          noValue: 'No turn is stale, as far as the detector sees',
          alert: 'TurnwatchTurnsStale',
        },
        {
          title: 'Oldest silence against its limit',
          kind: 'timeseries',
          unit: 's',
          description:
            'The line of the silence climbs while nothing moves and falls to nothing with the next chunk. Normal: it stays below the limit.',
          noValue: 'No turn is silent',
          series: { 'its limit': { color: 'red', limit: true }, 'oldest silence': { color: 'blue' } },
          queries: [
            { expr: `max(${of('oldestSilence')})`, legend: 'oldest silence' },
            { expr: `max(${of('oldestSilenceThreshold')})`, legend: 'its limit' },
          ],
        },
        {
          title: 'What open turns do',
          kind: 'timeseries',
          unit: 'count',
          description:
            'Open turns by phase: text, reasoning and tool_args stream; first_token reads the prompt; queued waits for an engine; tool runs a tool; waiting is for a person or a time.',
          many: true,
          series: phaseColors,
          queries: [{ expr: `sum by (phase) (${of('openTurns')})`, legend: '{{phase}}' }],
          stacked: true,
        },
        {
          title: 'Turns by state',
          kind: 'timeseries',
          unit: 'count',
          description:
            'Suspect ones are beyond what was ever measured, not beyond their threshold. Normal: no stale ones. Settled and expired ones are left out.',
          series: stateColors,
          queries: [
            {
              expr: `sum by (state) (${of('turns', 'state=~"running|suspect|stale|waiting"')})`,
              legend: '{{state}}',
            },
          ],
        },
        {
          title: 'Verdicts by reason',
          kind: 'timeseries',
          unit: 'count',
          description:
            'Turns found stale in each five minutes. silence: nothing came; tool_silence: a call past its grace; process_unreachable, process_blocked, process_exited: the agent itself.',
          noValue: 'No turn was ever found stale',
          series: reasonColors,
          queries: [{ expr: `sum by (reason) (${grown(of('verdicts', who), '5m')})`, legend: '{{reason}}' }],
          stacked: true,
        },
        {
          title: 'Verdicts that were wrong, by reason',
          kind: 'timeseries',
          unit: 'count',
          description:
            'Stale turns that went on, in each five minutes. Normal: none. Each raises the threshold of its key.',
          noValue: 'No verdict was wrong',
          series: reasonColors,
          queries: [{ expr: `sum by (reason) (${grown(of('recovered', who), '5m')})`, legend: '{{reason}}' }],
          stacked: true,
          alert: 'TurnwatchFalseFlags',
        },
      ],
    },
    {
      title: 'By provider, model and phase',
      collapsed: true,
      panels: [
        {
          title: 'Verdicts by provider',
          kind: 'timeseries',
          unit: 'count',
          description: `Verdicts in each five minutes. ${limits.staleSurge} on one provider are an outage of it.`,
          noValue: 'No turn was ever found stale',
          queries: [
            { expr: `sum by (provider) (${grown(of('verdicts', who), '5m')})`, legend: '{{provider}}' },
          ],
          critical: limits.staleSurge,
          alert: 'TurnwatchStaleSurge',
        },
        {
          title: 'Verdicts by model',
          kind: 'timeseries',
          unit: 'count',
          description:
            'Verdicts in each five minutes. One model alone: its thresholds, or its provider’s trouble with it.',
          noValue: 'No turn was ever found stale',
          queries: [{ expr: `sum by (model) (${grown(of('verdicts', who), '5m')})`, legend: '{{model}}' }],
        },
        {
          title: 'Verdicts by phase',
          kind: 'timeseries',
          unit: 'count',
          description:
            'Where turns stop: before the first token, within a stream, in a tool, between requests.',
          noValue: 'No turn was ever found stale',
          queries: [{ expr: `sum by (phase) (${grown(of('verdicts', who), '5m')})`, legend: '{{phase}}' }],
        },
        {
          title: 'Expired by state before',
          kind: 'timeseries',
          unit: 'count',
          description:
            'Turns past their horizon in each hour. From running: it worked too long. From stale: it was told, and nobody ended it.',
          noValue: 'No turn has expired',
          queries: [{ expr: `sum by (state) (${grown(of('expired'), '1h')})`, legend: '{{state}}' }],
          warn: limits.expiredTurns,
          alert: 'TurnwatchTurnsExpired',
        },
      ],
    },
  ],
};
