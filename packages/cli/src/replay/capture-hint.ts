const gzip = Buffer.from([0x1f, 0x8b]);

/** A line of a recording begins so, as the sink or the Collector's file exporter writes it. */
const begins = /^\ufeff?\s*\{\s*"(?:resource(?:Logs|Spans|Metrics)|recv(?:Unix|Offset)Ms|signal|body)"\s*:/;

/** For whoever gives a recording where a scenario was expected; undefined: this is none. */
export function hintOfCapture(file: string, bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 4096));
  if (!start.subarray(0, 2).equals(gzip) && !begins.test(start.toString('utf8'))) return undefined;
  return `${file}: is recorded telemetry and no scenario, it seems; replay it with turnwatch replay --capture ${file}`;
}
