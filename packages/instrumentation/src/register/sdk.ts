import type { LaneTarget } from '../lane/target.ts';
import { defaultTarget, targetOf } from '../lane/target.ts';
import type { SdkStart } from '../node-sdk.ts';

type Env = Readonly<Record<string, string | undefined>>;

const apiPlace = Symbol.for('opentelemetry.js.api.1');
const oldLogsPlace = Symbol.for('io.opentelemetry.js.api.logs');

/** What the environment wants of an SDK; `undefined`: none is needed. */
export function sdkWanted(env: Env): SdkStart | undefined {
  if (isDisabled(env)) return undefined;
  const traces = isExported('TRACES', env);
  const metrics = isExported('METRICS', env);
  // Without the heartbeat's thread somebody else has to send our records.
  const records = env.TURNWATCH_LANE === 'off' && env.OTEL_LOGS_EXPORTER !== 'none';
  if (!traces && !metrics && !records) return undefined;
  return { traces, metrics, target: safeTarget(env) ?? ownTarget(env) };
}

/**
 * Where our records go when nothing names a place: to this host, as OpenTelemetry does it. `undefined`: its variables name
 * a way that is not ours, or none at all.
 */
export function ownTarget(env: Env): LaneTarget | undefined {
  if (isDisabled(env) || env.OTEL_LOGS_EXPORTER === 'none') return undefined;
  const protocol = env.OTEL_EXPORTER_OTLP_LOGS_PROTOCOL ?? env.OTEL_EXPORTER_OTLP_PROTOCOL;
  return protocol === 'grpc' ? undefined : defaultTarget({}, env);
}

/** Whether the application has an SDK, of either line. */
export function hasSdk(): boolean {
  return isRegistered('trace') || isRegistered('metrics') || hasLogs();
}

/** Whether it has a place for log records. */
export function hasLogs(): boolean {
  return isRegistered('logs') || typeof Reflect.get(globalThis, oldLogsPlace) === 'function';
}

/** Signals go out where an exporter is named, and by OpenTelemetry's default where an endpoint is. */
function isExported(signal: 'TRACES' | 'METRICS', env: Env): boolean {
  const exporter = env[`OTEL_${signal}_EXPORTER`];
  if (isSet(exporter)) return exporter !== 'none';
  return isSet(env.OTEL_EXPORTER_OTLP_ENDPOINT) || isSet(env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`]);
}

/** A place that is no URL is told by who opens the lane. */
function safeTarget(env: Env): LaneTarget | undefined {
  try {
    return targetOf({}, env);
  } catch {
    return undefined;
  }
}

function isDisabled(env: Env): boolean {
  return env.OTEL_SDK_DISABLED?.toLowerCase() === 'true';
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

/** The API's own question would make a no-op of what is asked for, and tells of itself as if it were one. */
function isRegistered(signal: 'trace' | 'metrics' | 'logs'): boolean {
  const api: unknown = Reflect.get(globalThis, apiPlace);
  return typeof api === 'object' && api !== null && Reflect.get(api, signal) !== undefined;
}
