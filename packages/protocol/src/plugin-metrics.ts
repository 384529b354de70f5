import type { MetricSpec } from './metrics.ts';

export type PluginMetricKey = 'pluginCalls' | 'pluginFailures' | 'pluginDuration';

/** What calls into plugins come to. Names of plugins stand in the configuration: there are few. */
export const pluginMetrics: Readonly<Record<PluginMetricKey, MetricSpec>> = {
  pluginCalls: {
    name: 'turnwatch.plugin.calls',
    unit: '{call}',
    kind: 'counter',
    labels: ['plugin', 'kind'],
    help: 'Calls into plugins.',
  },
  pluginFailures: {
    name: 'turnwatch.plugin.failures',
    unit: '{failure}',
    kind: 'counter',
    labels: ['plugin', 'kind', 'reason'],
    help: 'Calls that failed or took too long, and errors that a plugin did not catch.',
  },
  pluginDuration: {
    name: 'turnwatch.plugin.duration_seconds',
    unit: 's',
    kind: 'histogram',
    labels: ['plugin', 'kind'],
    help: 'How long a call into a plugin takes.',
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
  },
};
