import { inPanel as of, ofAgents, quantile } from '../promql.ts';
import type { DashboardSpec } from './dashboard.ts';

const speed = (
  tokens: 'engineRead' | 'engineGenerated',
  time: 'engineReading' | 'engineGenerating',
  range: string,
) => `sum(rate(${of(tokens)}[${range}])) / sum(rate(${of(time)}[${range}]))`;
const reread = (by: string): string => `${by} (increase(${ofAgents('rereadTokens')}[1h]))`;

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
          unit: 'short',
          description:
            'As their probes tell. An unreachable one proves nothing about its turns; see its process.',
          queries: [{ expr: `sum by (state) (${of('engines')})`, legend: '{{state}}' }],
          width: 8,
        },
        {
          title: 'Requests that wait for a slot',
          kind: 'stat',
          unit: 'short',
          description:
            'Normal: 0 or a few. They are not stalled: a queue that moves is work. One that stands is a wedged engine.',
          queries: [{ expr: `sum(${of('engineQueue')})`, legend: 'queued' }],
        },
        {
          title: 'Turns that read their prompt',
          kind: 'stat',
          unit: 'short',
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
          title: 'Hours spent on reading again, last hour',
          kind: 'stat',
          unit: 'h',
          description:
            'Prompt tokens of requests that did not complete and were made again, at the speed at which your engines read. Normal: next to 0. What cancels them is a client’s time-out that is shorter than the read.',
          queries: [
            {
              expr: `(${reread('sum')} or vector(0)) / (${speed('engineRead', 'engineReading', '1h')}) / 3600`,
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
          queries: [{ expr: speed('engineRead', 'engineReading', '$__rate_interval'), legend: 'tokens/s' }],
        },
        {
          title: 'Speed of generating, per slot',
          kind: 'timeseries',
          unit: 'short',
          description: 'Tokens a second while a slot generates.',
          queries: [
            { expr: speed('engineGenerated', 'engineGenerating', '$__rate_interval'), legend: 'tokens/s' },
          ],
        },
        {
          title: 'Queue and busy engines',
          kind: 'timeseries',
          unit: 'short',
          description:
            'Requests that wait, and engines that work. A queue with no busy engine is a wedged one.',
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
          queries: [0.5, 0.9, 0.99].map((share) => ({
            expr: quantile(share, ofAgents('firstChunk', '', '_bucket'), '$__rate_interval'),
            legend: `p${share * 100}`,
          })),
        },
        {
          title: 'Tokens read again, by how the request ended',
          kind: 'timeseries',
          unit: 'short',
          description:
            'In each hour. cancelled: a client gave up; failed: the stream broke; expired: its own horizon.',
          queries: [{ expr: reread('sum by (outcome)'), legend: '{{outcome}}' }],
        },
        {
          title: 'Duration of requests',
          kind: 'heatmap',
          unit: 's',
          description:
            'From the start of a request to its last byte. A line at a round number is somebody’s time-out.',
          queries: [
            {
              expr: `sum by (le) (increase(${ofAgents('inferenceDuration', '', '_bucket')}[$__rate_interval]))`,
              legend: '{{le}}',
            },
          ],
        },
      ],
    },
  ],
};
