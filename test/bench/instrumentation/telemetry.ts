import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace';
import { type ContestantName, contestants } from './contestants.ts';
import { SpanCount } from './span-count.ts';

type Instrumentation = ConstructorParameters<typeof NodeSDK>[0] extends infer O
  ? O extends { instrumentations?: infer I }
    ? I
    : never
  : never;

/** As they come, without options. Loaded only where they take part. */
const loaders: Partial<Readonly<Record<ContestantName, () => Promise<object>>>> = {
  opentelemetry: () => import('@opentelemetry/instrumentation-openai'),
  openllmetry: () => import('@traceloop/instrumentation-openai'),
  openinference: () => import('@arizeai/openinference-instrumentation-openai'),
};

export interface Telemetry {
  readonly spans: SpanCount;
  /** Exports what has ended. */
  flush(): Promise<void>;
}

/**
 * The same SDK for everybody: spans go to the collector when the benchmark says so, metrics are collected and stay.
 *
 * @throws Error when the package of the contestant is not installed or cannot be loaded.
 */
export async function startTelemetry(name: ContestantName, url: string): Promise<Telemetry> {
  const spans = new SpanCount();
  const batch = new BatchSpanProcessor({
    exporter: new OTLPTraceExporter({ url: `${url}/v1/traces` }),
    scheduledDelayMillis: hourMs,
    maxExportBatchSize: mostSpans,
    maxQueueSize: mostSpans,
  });
  const sdk = new NodeSDK({
    spanProcessors: [spans, batch],
    metricReaders: [
      new PeriodicExportingMetricReader({
        exporter: new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE),
        exportIntervalMillis: hourMs,
      }),
    ],
    logRecordProcessors: [],
    resourceDetectors: [],
    instrumentations: await instrumentationsOf(name),
  });
  sdk.start();
  return { spans, flush: () => batch.forceFlush() };
}

const hourMs = 3_600_000;
const mostSpans = 4096;

async function instrumentationsOf(name: ContestantName): Promise<NonNullable<Instrumentation>> {
  const load = loaders[name];
  if (load === undefined) return [];
  const found: unknown = Reflect.get(await load(), 'OpenAIInstrumentation');
  if (typeof found !== 'function')
    throw new Error(`${contestants[name].packageName} has no OpenAIInstrumentation`);
  // Each is of another version of the API of instrumentations; all of them have what the SDK calls.
  return [Reflect.construct(found, [])];
}
