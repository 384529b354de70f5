import { withinMs } from './exit.ts';
import {
  configure,
  farewell,
  flush,
  type InstrumentationOptions,
  openLaneTo,
  stopBeating,
} from './instrumentation.ts';
import { defaultTarget, targetOf } from './lane/target.ts';
import { loadSdk, startSdk } from './node-sdk.ts';
import { tellOutage, tellOutagesOnStderr } from './outages.ts';

export interface SetupOptions extends InstrumentationOptions {
  /**
   * Base URL of the detector or Collector, OTLP over HTTP. Default: `TURNWATCH_ENDPOINT`, else OpenTelemetry's variables,
   * else `http://127.0.0.1:4318`.
   */
  readonly endpoint?: string | undefined;
}

export interface Setup {
  /** Flushes and ends the telemetry of this process. Never rejects, and takes 2 s at most. */
  shutdown(): Promise<void>;
}

const shutdownMs = 2000;

/**
 * Sets up a process that has no telemetry: live records of turns go to `endpoint` by the heartbeat lane, and
 * `@opentelemetry/sdk-node` (either line) is started for everything else, where it is installed. Without the lane the
 * records go by that SDK too, at most 0.2 s after they are made. Where an SDK has been registered already, it keeps its
 * place. A detector that is down or slow costs nothing but its records, and a line on stderr (`TURNWATCH_LOG=off`: not that).
 *
 * @throws Error when `endpoint` is no URL, or when there is neither the lane nor `@opentelemetry/sdk-node`.
 */
export async function setup(options: SetupOptions = {}): Promise<Setup> {
  const target = targetOf(options, process.env) ?? defaultTarget(options.headers, process.env);
  configure(options);
  tellOutagesOnStderr();
  const sdk = loadSdk(openLaneTo(target));
  const ended =
    sdk === undefined
      ? undefined
      : startSdk(sdk, {
          serviceName: options.serviceName,
          target,
          onOutage: (reason) => tellOutage(target.url, reason),
          traces: isNamed('OTEL_TRACES_EXPORTER'),
          metrics: isNamed('OTEL_METRICS_EXPORTER'),
        });
  let ending: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    farewell();
    stopBeating();
    // A shutdown during a flush would lose what came in between.
    await flush();
    await ended?.();
  };
  return {
    shutdown() {
      ending ??= withinMs(shutdownMs, end);
      return ending;
    },
  };
}

function isNamed(variable: string): boolean {
  const exporter = process.env[variable];
  return exporter !== undefined && exporter !== '' && exporter !== 'none';
}
