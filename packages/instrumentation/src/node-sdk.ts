import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import * as api from '@opentelemetry/api';
import { skipFlushAtExitWhen } from './instrumentation.ts';
import type { LaneTarget } from './lane/target.ts';
import { LatestExporter, type LogExporter } from './latest-exporter.ts';
import { processTimers } from './process-clock.ts';
import { quietAgent } from './quiet-agent.ts';

const exportDelayMs = 200;
const exportTimeoutMs = 2000;

export interface SdkStart {
  readonly serviceName?: string | undefined;
  /** Where log records go. Absent: as OpenTelemetry's variables say. */
  readonly target?: LaneTarget | undefined;
  /** False: no spans are exported. True: as OpenTelemetry's variables say. */
  /** Told the first failure after a success. Default: OpenTelemetry's diagnostics are. */
  readonly onOutage?: ((reason: string) => void) | undefined;
  readonly traces: boolean;
  readonly metrics: boolean;
}

/** @returns what ends it. */
export function startSdk(
  sdk: Sdk,
  { serviceName, target, onOutage, traces, metrics }: SdkStart,
): () => Promise<void> {
  const exporter = target === undefined ? undefined : exporterTo(sdk, target, onOutage);
  if (exporter !== undefined) skipFlushAtExitWhen(() => exporter.lastFailed);
  const node = new sdk.NodeSDK({
    ...(serviceName === undefined ? {} : { serviceName }),
    resource: sdk.resourceFromAttributes({ 'service.instance.id': randomUUID() }),
    // Not the process detector: it would send the command line, which may hold a prompt.
    resourceDetectors: [sdk.envDetector],
    ...(exporter === undefined
      ? {}
      : {
          logRecordProcessors: [
            new sdk.BatchLogRecordProcessor({ exporter, scheduledDelayMillis: exportDelayMs }),
          ],
        }),
    ...(traces ? {} : { spanProcessors: [] }),
    ...(metrics ? {} : { metricReaders: [] }),
  });
  node.start();
  return async () => {
    if (exporter?.lastFailed === true) exporter.close();
    await node.shutdown();
  };
}

function exporterTo(sdk: Sdk, { url, headers }: LaneTarget, onOutage: SdkStart['onOutage']): LatestExporter {
  return new LatestExporter(
    new sdk.OTLPLogExporter({
      url,
      timeoutMillis: exportTimeoutMs,
      httpAgentOptions: quietAgent,
      headers,
    }),
    processTimers,
    (error) => {
      if (onOutage === undefined)
        api.diag.warn(`turnwatch: no records reach ${url}; later ones are tried all the same`, error);
      else onOutage(reasonOf(error));
    },
  );
}

/** The SDK's error carries the status as its code. */
function reasonOf(error: (Error & { code?: unknown }) | undefined): string {
  const code = error?.code;
  return typeof code === 'number'
    ? `status ${code}`
    : typeof code === 'string'
      ? code
      : (error?.message ?? 'no reason');
}

/** The parts of the SDK in use: the same in both lines. */
export interface Sdk {
  readonly NodeSDK: new (options: object) => { start(): void; shutdown(): Promise<void> };
  readonly BatchLogRecordProcessor: new (options: object) => object;
  readonly OTLPLogExporter: new (options: object) => LogExporter;
  readonly envDetector: object;
  resourceFromAttributes(attributes: object): object;
}

/**
 * The parts of sdk-node are taken from its own tree, so that they are of its line, wherever the package manager puts
 * them. Undefined: it is not installed and not needed.
 */
export function loadSdk(isOptional: boolean): Sdk | undefined {
  const here = createRequire(import.meta.url);
  let home: string;
  try {
    home = here.resolve('@opentelemetry/sdk-node');
  } catch (cause) {
    if (isOptional) return undefined;
    throw new Error(
      'setup() without the heartbeat lane needs the OpenTelemetry SDK, which is not installed: npm install @opentelemetry/sdk-node @opentelemetry/api',
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
