// An agent with an SDK of its own, which starts after the first turn has: loggers must be looked up at each record.

import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { BatchLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { startTurn } from '@turnwatch/instrumentation';

const url = `${process.env.ENDPOINT}/v1/logs`;
const early = startTurn({ id: 'early', traceId: process.env.TRACE_ID });
const sdk = new NodeSDK({
  serviceName: 'own-sdk',
  spanProcessors: [],
  metricReaders: [],
  logRecordProcessors: [
    new BatchLogRecordProcessor({ exporter: new OTLPLogExporter({ url }), scheduledDelayMillis: 100 }),
  ],
});
sdk.start();
early.end();
const turn = startTurn({ id: 'A', traceId: process.env.TRACE_ID, provider: 'acme', model: 'm1' });
const request = turn.request({ id: 'r1' });
request.chunk('text');
setTimeout(async () => {
  request.end();
  turn.end();
  await sdk.shutdown();
}, 2300);
