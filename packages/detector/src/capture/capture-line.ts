/** One export request of a capture. */
export interface CapturedRequest {
  readonly signal: 'logs' | 'traces' | 'metrics';
  /** Arrival, ms since the epoch. Undefined: the line does not tell; it came with the one before it. */
  readonly atMs: number | undefined;
  /** The instant that the recording counts from, ms since the epoch, where it has one. */
  readonly zeroMs: number | undefined;
  /** The request in OTLP/JSON. */
  readonly body: string;
}

const signals = { resourceLogs: 'logs', resourceSpans: 'traces', resourceMetrics: 'metrics' } as const;

/** What stamps a record: the time it was observed, or its end, as the Collector passes it on. */
const stamp = /"(?:observedTimeUnixNano|endTimeUnixNano|timeUnixNano)"\s*:\s*"?(\d{1,20})"?/g;

/**
 * A line of a capture: `{recvUnixMs, recvOffsetMs, signal, body}` as a recording sink writes it, or a bare OTLP/JSON
 * request as the Collector's file exporter does, whose arrival is the newest instant in it. Undefined: it is neither.
 */
export function captureLine(line: string): CapturedRequest | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    // A line that was cut off, or no JSON: counted by whoever reads the file.
    return undefined;
  }
  if (!isObject(parsed)) return undefined;
  const own = signalOf(parsed);
  if (own !== undefined) return { signal: own, atMs: newestInstant(line), zeroMs: undefined, body: line };
  const body = parsed.body;
  if (!isObject(body)) return undefined;
  const signal = signalOf(body);
  if (signal === undefined) return undefined;
  const offsetMs = instant(parsed.recvOffsetMs, -maxMs);
  const unixMs = instant(parsed.recvUnixMs, 1);
  return {
    signal,
    atMs: unixMs ?? offsetMs,
    zeroMs:
      unixMs === undefined ? (offsetMs === undefined ? undefined : 0) : unixMs - (offsetMs ?? Number.NaN),
    body: JSON.stringify(body),
  };
}

function signalOf(body: object): CapturedRequest['signal'] | undefined {
  for (const [key, signal] of Object.entries(signals)) if (Object.hasOwn(body, key)) return signal;
  return undefined;
}

/** The end of what a Date can hold. */
const maxMs = 8.64e15;

function instant(value: unknown, least: number): number | undefined {
  const ms = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof ms === 'number' && ms >= least && ms <= maxMs ? ms : undefined;
}

function newestInstant(line: string): number | undefined {
  let newestMs = 0;
  for (const [, nanos = ''] of line.matchAll(stamp)) {
    const ms = Number(nanos.slice(0, -6));
    if (ms > newestMs && ms <= maxMs) newestMs = ms;
  }
  return newestMs > 0 ? newestMs : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
