// Instants on the wire are ISO 8601 with a zone, for people; durations beside them are what is judged by.

const pattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/i;
/** The outermost instants a Date can hold. */
const maxWallMs = 8_640_000_000_000_000;

/** ms since the epoch, as `2026-11-30T11:02:06.500Z`; undefined where there is no such instant. */
export function toIso(wallMs: number): string | undefined {
  return Math.abs(wallMs) <= maxWallMs ? new Date(wallMs).toISOString() : undefined;
}

/** As {@link toIso}, for instants that must be there: throws RangeError where there is none. */
export function isoInstant(wallMs: number): string {
  const text = toIso(wallMs);
  if (text === undefined)
    throw new RangeError(`${wallMs} ms is no instant: the detector's wall clock or a stored event is wrong`);
  return text;
}

/** ms since the epoch; undefined for anything but a full ISO 8601 instant with a zone (`Date.parse` takes "1" for a year). */
export function fromIso(text: string): number | undefined {
  if (!pattern.test(text)) return undefined;
  const wallMs = Date.parse(text);
  return Number.isNaN(wallMs) ? undefined : wallMs;
}
