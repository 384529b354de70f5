// An app that starts an SDK of its own, later than everything that --import names. Then the agent asks its model.
import * as api from '@opentelemetry/api';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { BatchLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { NodeSDK } from '@opentelemetry/sdk-node';

await new Promise((resolve) => setTimeout(resolve, 50));
const spans = [];
const settled = () => Promise.resolve();
const processor = {
  onStart: () => undefined,
  onEnd: (span) => spans.push(span.name),
  forceFlush: settled,
  shutdown: settled,
};
const exporter = new OTLPLogExporter({ url: process.env.OWN_LOGS_URL });
const sdk = new NodeSDK({
  serviceName: 'own-sdk',
  resourceDetectors: [],
  spanProcessors: [processor],
  metricReaders: [],
  logRecordProcessors: [new BatchLogRecordProcessor({ exporter, scheduledDelayMillis: 200 })],
});
sdk.start();

const response = await fetch(`${process.env.MODEL_URL}/chat/completions`, {
  method: 'POST',
  body: JSON.stringify({ model: 'm1', messages: [{ role: 'user', content: process.argv[2] }], stream: true }),
});
await response.text();
api.trace.getTracer('app').startSpan('work').end();
await sdk.shutdown();
process.stdout.write(JSON.stringify(spans));
