/** Where the lane sends to. */
export interface LaneTarget {
  /** Full URL of the log intake, OTLP over HTTP. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface TargetOptions {
  readonly endpoint?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The log intake that options or environment name, in this order: `endpoint`, `TURNWATCH_ENDPOINT` (with
 * `TURNWATCH_HEADERS`), OpenTelemetry's variables. Headers go only to the endpoint they were meant for: OpenTelemetry's
 * may hold a key. `TURNWATCH_API_TOKEN` goes to the first two, where no header says who sends. Undefined: nothing is named, or OpenTelemetry is told not to send logs over HTTP.
 *
 * @throws Error when what is named is no http(s) URL.
 */
export function targetOf(options: TargetOptions, env: Env): LaneTarget | undefined {
  const given = options.headers;
  if (options.endpoint !== undefined)
    return { url: logsUrl(options.endpoint, 'endpoint'), headers: withToken(given ?? {}, env) };
  const own = env.TURNWATCH_ENDPOINT;
  if (isSet(own))
    return {
      url: logsUrl(own, 'TURNWATCH_ENDPOINT'),
      headers: withToken({ ...headersOf(env.TURNWATCH_HEADERS), ...given }, env),
    };
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_LOGS_EXPORTER === 'none') return undefined;
  const protocol = env.OTEL_EXPORTER_OTLP_LOGS_PROTOCOL ?? env.OTEL_EXPORTER_OTLP_PROTOCOL;
  if (protocol === 'grpc') return undefined;
  const headers = {
    ...headersOf(env.OTEL_EXPORTER_OTLP_HEADERS),
    ...headersOf(env.OTEL_EXPORTER_OTLP_LOGS_HEADERS),
    ...given,
  };
  const logs = env.OTEL_EXPORTER_OTLP_LOGS_ENDPOINT;
  if (isSet(logs)) return { url: httpUrl(logs, 'OTEL_EXPORTER_OTLP_LOGS_ENDPOINT'), headers };
  const all = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  return isSet(all) ? { url: logsUrl(all, 'OTEL_EXPORTER_OTLP_ENDPOINT'), headers } : undefined;
}

/** Where detectors and Collectors listen by default. */
export function defaultTarget(headers: LaneTarget['headers'] = {}, env: Env = {}): LaneTarget {
  return { url: 'http://127.0.0.1:4318/v1/logs', headers: withToken(headers, env) };
}

/** As the commands take it; what can be no header is left out. */
function withToken(headers: LaneTarget['headers'], env: Env): LaneTarget['headers'] {
  const token = env.TURNWATCH_API_TOKEN?.trim() ?? '';
  if (!/^[\x21-\x7e]+$/.test(token)) return headers;
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')) return headers;
  return { ...headers, authorization: `Bearer ${token}` };
}

/** @param name of what was given, for the message. */
function logsUrl(endpoint: string, name: string): string {
  const base = httpUrl(endpoint, name).replace(/\/+$/, '');
  return base.endsWith('/v1/logs') ? base : `${base}/v1/logs`;
}

function httpUrl(endpoint: string, name: string): string {
  if (URL.canParse(endpoint) && /^https?:\/\//i.test(endpoint)) return endpoint;
  throw new Error(`${name} must be an http(s) URL such as http://127.0.0.1:4318, not "${endpoint}"`);
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

/** `key=value,key2=value2`, percent-encoded as in W3C baggage. Pairs that are none are left out. */
function headersOf(text: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const pair of (text ?? '').split(',')) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).trim().toLowerCase();
    const value = decoded(pair.slice(at + 1).trim());
    if (at > 0 && /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) && /^[\t\x20-\x7e]*$/.test(value))
      headers[name] = value;
  }
  return headers;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    // A stray percent sign: taken as it stands.
    return value;
  }
}
