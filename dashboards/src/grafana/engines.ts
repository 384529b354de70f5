import { counts, grown, inPanel as of, ofAgents, orZero, rareQuantile, shareOf } from '../promql.ts';
import { quantileColors } from './colors.ts';
import type { DashboardSpec } from './dashboard.ts';

const speed = (
  tokens: 'engineRead' | 'engineGenerated',
  time: 'engineReading' | 'engineGenerating',
  range: string,
) => shareOf(`sum(rate(${of(tokens)}[${range}]))`, `sum(rate(${of(time)}[${range}]))`);
const who = 'provider=~"$provider", model=~"$model"';
const reread = (by: string): string => `${by} (${grown(ofAgents('rereadTokens', who), '1h')})`;

export const engines: DashboardSpec = {
  id: 'engines',
  title: 'Engines',
  description: 'Local engines: who waits for them, how fast they read, and what is read twice.',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Engines by state',
          kind: 'stat',
          unit: 'count',
          description:
            'As their probes tell. An unreachable one proves nothing about its turns; see its process.',
          series: { unreachable: { critical: 1 } },
          queries: [{ expr: `sum by (state) (${of('engines')})`, legend: '{{state}}' }],
          width: 8,
        },
        {
          title: 'Requests that wait for a slot',
          kind: 'stat',
          unit: 'count',
          description:
            'Normal: 0 or a few. They are not stalled: a queue that moves is work. One that stands is a wedged engine.',
          queries: [{ expr: `sum(${of('engineQueue')})`, legend: 'queued' }],
        },
        {
          title: 'Turns that read their prompt',
          kind: 'stat',
          unit: 'count',
          description: 'Open turns before their first token, and those that wait for an engine.',
          queries: [
            {
              expr: `sum by (phase) (${of('openTurns', 'phase=~"first_token|queued"')})`,
              legend: '{{phase}}',
            },
          ],
          width: 6,
        },
        {
          title: 'Lost to reading again, last hour',
          kind: 'stat',
          unit: 's',
          description:
            'Prompt tokens of requests that did not complete and were made again, at the speed at which your engines read. Choose the provider of your engines above: tokens of others are counted too. Normal: next to 0. What cancels them is a client’s time-out that is shorter than the read.',
          noValue: 'none',
          queries: [
            {
              expr: shareOf(orZero(reread('sum')), `(${speed('engineRead', 'engineReading', '1h')})`),
              legend: 'lost',
            },
          ],
          width: 6,
        },
      ],
    },
    {
      title: 'Over time',
      panels: [
        {
          title: 'Speed of reading, per slot',
          kind: 'timeseries',
          unit: 'short',
          description:
            'Prompt tokens a second. It falls with the depth of the prompt; half of yesterday’s is a changed batch size or a second load.',
          noValue: 'No engine reads',
          queries: [{ expr: speed('engineRead', 'engineReading', '$__rate_interval'), legend: 'tokens/s' }],
        },
        {
          title: 'Speed of generating, per slot',
          kind: 'timeseries',
          unit: 'short',
          description: 'Tokens a second while a slot generates.',
          noValue: 'No engine generates',
          queries: [
            { expr: speed('engineGenerated', 'engineGenerating', '$__rate_interval'), legend: 'tokens/s' },
          ],
        },
        {
          title: 'Queue and busy engines',
          kind: 'timeseries',
          unit: 'count',
          description:
            'Requests that wait, and engines that work. A queue with no busy engine is a wedged one.',
          noValue: 'No engine is heard of',
          series: { queued: { color: 'orange' }, 'busy engines': { color: 'green' } },
          queries: [
            { expr: `sum(${of('engineQueue')})`, legend: 'queued' },
            { expr: `sum(${of('engines', 'state="busy"')})`, legend: 'busy engines' },
          ],
        },
        {
          title: 'Time to the first chunk',
          kind: 'timeseries',
          unit: 's',
          description:
            'As agents see it, sleep of the host left out. Its tail is what first_token thresholds are made of.',
          noValue: 'No request in this time, or no metrics of agents',
          series: quantileColors,
          queries: [0.5, 0.9, 0.99].map((share) => ({
            expr: rareQuantile(share, ofAgents('firstChunk', '', '_bucket'), '$__rate_interval'),
            legend: `p${share * 100}`,
          })),
        },
        {
          title: 'Tokens read again, by how the request ended',
          kind: 'timeseries',
          unit: 'short',
          description:
            'In each hour. cancelled: a client gave up; failed: the stream broke; expired: its own horizon.',
          noValue: 'No request was made again',
          queries: [{ expr: reread('sum by (outcome)'), legend: '{{outcome}}' }],
        },
        {
          title: 'Duration of requests',
          kind: 'heatmap',
          unit: 's',
          description:
            'From the start of a request to its last byte. A line at a round number is somebody’s time-out.',
          noValue: 'No request in this time, or no metrics of agents',
          queries: [
            {
              expr: counts(ofAgents('inferenceDuration', '', '_bucket'), '$__rate_interval'),
              legend: '{{le}}',
            },
          ],
        },
      ],
    },
  ],
};
