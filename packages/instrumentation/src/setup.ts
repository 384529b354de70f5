import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import * as api from '@opentelemetry/api';
import { withinMs } from './exit.ts';
import {
  configure,
  farewell,
  flush,
  type InstrumentationOptions,
  skipFlushAtExitWhen,
  stopBeating,
} from './instrumentation.ts';
import { LatestExporter, type LogExporter } from './latest-exporter.ts';
import { processTimers } from './process-clock.ts';
import { quietAgent } from './quiet-agent.ts';

export interface SetupOptions extends InstrumentationOptions {
  /** Base URL of the detector or Collector, OTLP over HTTP. Default: `OTEL_EXPORTER_OTLP_ENDPOINT`, else `http://127.0.0.1:4318`. */
  readonly endpoint?: string | undefined;
  /** Sent with every export, e.g. `authorization`. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface Setup {
  /** Flushes and ends the telemetry of this process. Never rejects, and takes 2 s at most. */
  shutdown(): Promise<void>;
}

const exportDelayMs = 200;
const exportTimeoutMs = 2000;
const shutdownMs = 2000;

/**
 * Starts OpenTelemetry for a process that has none: live records of turns go to `endpoint` by `@opentelemetry/sdk-node`
 * (either line), at most 0.2 s after they are made. Where an SDK has been registered already, it keeps its place and
 * records go there. A detector that is down or slow costs nothing but its records.
 *
 * @throws Error when `@opentelemetry/sdk-node` is not installed, or `endpoint` is no URL.
 */
export async function setup(options: SetupOptions = {}): Promise<Setup> {
  const url = logsUrl(options.endpoint ?? process.env.OTEL_EXPORTER_OTLP_ENDPOINT ?? 'http://127.0.0.1:4318');
  const sdk = loadSdk();
  configure(options);
  const exporter = new LatestExporter(
    new sdk.OTLPLogExporter({
      url,
      timeoutMillis: exportTimeoutMs,
      httpAgentOptions: quietAgent,
      ...(options.headers === undefined ? {} : { headers: options.headers }),
    }),
    processTimers,
    (error) => api.diag.warn(`turnwatch: no records reach ${url}; later ones are tried all the same`, error),
  );
  skipFlushAtExitWhen(() => exporter.lastFailed);
  const node = new sdk.NodeSDK({
    ...(options.serviceName === undefined ? {} : { serviceName: options.serviceName }),
    resource: sdk.resourceFromAttributes({ 'service.instance.id': randomUUID() }),
    // Not the process detector: it would send the command line, which may hold a prompt.
    resourceDetectors: [sdk.envDetector],
    logRecordProcessors: [new sdk.BatchLogRecordProcessor({ exporter, scheduledDelayMillis: exportDelayMs })],
    ...(wanted('OTEL_TRACES_EXPORTER') ? {} : { spanProcessors: [] }),
    ...(wanted('OTEL_METRICS_EXPORTER') ? {} : { metricReaders: [] }),
  });
  node.start();
  let ending: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    farewell();
    stopBeating();
    // A shutdown during a flush would lose what came in between.
    await flush();
    if (exporter.lastFailed) exporter.close();
    await node.shutdown();
  };
  return {
    shutdown() {
      ending ??= withinMs(shutdownMs, end);
      return ending;
    },
  };
}

function logsUrl(endpoint: string): string {
  if (!URL.canParse(endpoint) || !/^https?:/.test(endpoint))
    throw new Error(
      `setup: endpoint must be an http(s) URL such as http://127.0.0.1:4318, not "${endpoint}"`,
    );
  return `${endpoint.replace(/\/+$/, '')}/v1/logs`;
}

function wanted(name: string): boolean {
  const value = process.env[name];
  return value !== undefined && value !== '' && value !== 'none';
}

/** The parts of the SDK in use: the same in both lines. */
interface Sdk {
  readonly NodeSDK: new (options: object) => { start(): void; shutdown(): Promise<void> };
  readonly BatchLogRecordProcessor: new (options: object) => object;
  readonly OTLPLogExporter: new (options: object) => LogExporter;
  readonly envDetector: object;
  resourceFromAttributes(attributes: object): object;
}

/** The parts of sdk-node are taken from its own tree, so that they are of its line, wherever the package manager puts them. */
function loadSdk(): Sdk {
  const here = createRequire(import.meta.url);
  let home: string;
  try {
    home = here.resolve('@opentelemetry/sdk-node');
  } catch (cause) {
    throw new Error(
      'setup() needs the OpenTelemetry SDK, which is not installed: npm install @opentelemetry/sdk-node @opentelemetry/api',
      { cause },
    );
  }
  const there = createRequire(home);
  return {
    ...there(home),
    ...there('@opentelemetry/sdk-logs'),
    ...there('@opentelemetry/exporter-logs-otlp-proto'),
    ...there('@opentelemetry/resources'),
  } as Sdk;
}
