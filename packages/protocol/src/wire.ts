// What a producer needs: names, records, signals to records. Free of dependencies, so that it can be bundled.

export { type AgentMetricKey, agentMetrics } from './agent-metrics.ts';
export * from './encode.ts';
export type { MetricSpec } from './metrics.ts';
export * from './names.ts';
export * from './record.ts';
export { cleanId, cleanText } from './text.ts';
