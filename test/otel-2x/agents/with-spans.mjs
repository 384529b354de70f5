// An agent with an SDK of its own that keeps spans and metrics in memory, and another instrumentation's spans beside ours.

import { trace } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { setLoggerProvider, startTurn, TurnSpanProcessor, withTurn } from '@turnwatch/instrumentation';

const live = [];
setLoggerProvider({
  getLogger: () => ({
    emit: ({ eventName, attributes }) => live.push([eventName, attributes['turnwatch.turn.trace_id']]),
  }),
});
const spans = [];
const keeper = {
  onStart: () => undefined,
  onEnd: (span) =>
    spans.push({
      name: span.name,
      kind: span.kind,
      traceId: span.spanContext().traceId,
      spanId: span.spanContext().spanId,
      parentId: span.parentSpanContext?.spanId,
      outcome: span.attributes['turnwatch.outcome'],
      links: span.links.length,
    }),
  forceFlush: async () => undefined,
  shutdown: async () => undefined,
};
const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const sdk = new NodeSDK({
  serviceName: 'with-spans',
  logRecordProcessors: [],
  spanProcessors: [keeper, new TurnSpanProcessor()],
  metricReaders: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })],
});
sdk.start();

await withTurn({ id: 'A', agent: 'worker', provider: 'acme', model: 'm1' }, async (turn) => {
  await turn
    .withRequest({}, () => Promise.reject(new DOMException('stop', 'AbortError')))
    .catch(() => undefined);
  await turn.withRequest({}, async (request) => {
    request.chunk('text');
    request.end({ usage: { inputTokens: 500, outputTokens: 2 } });
  });
  await turn.withToolCall({ name: 'delegate' }, () =>
    withTurn({ id: 'K', agent: 'child' }, async (child) => child.step()),
  );
});
const parent = startTurn({ id: 'P', agent: 'parent' });
startTurn({ agent: 'linked', parentId: 'P' }).end();
parent.end();
trace
  .getTracer('foreign')
  .startActiveSpan('run', { attributes: { 'gen_ai.operation.name': 'invoke_agent' } }, (span) => span.end());

// The shutdown collects for the last time, and empties the exporter.
const collected = new Map();
const take = exporter.export.bind(exporter);
exporter.export = (metrics, done) => {
  for (const { metrics: of } of metrics.scopeMetrics)
    for (const { descriptor, dataPoints } of of)
      collected.set(
        descriptor.name,
        dataPoints.map(({ attributes, value }) => ({ attributes, value: value.count ?? value })),
      );
  take(metrics, done);
};
await sdk.shutdown();
console.log(JSON.stringify({ spans, live, metrics: Object.fromEntries(collected) }));
