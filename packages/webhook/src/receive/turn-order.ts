import type { WebhookEvent } from './events.generated.ts';
import { Recent } from './recent.ts';

const maxTurns = 10_000;
const maxAgeMs = 24 * 3600 * 1000;

/** These tell the state of a turn: an older one after a newer one is worthless. What is about one request is not. */
const stateTypes: ReadonlySet<string> = new Set([
  'turn.suspect',
  'turn.stale',
  'turn.recovered',
  'turn.expired',
]);

/** Knows late older events by their `sequence` (mirakl-hyperwallet-connector 35: a late retry left a wrong final state). */
export class TurnOrder {
  readonly #newest = new Recent<{ readonly sequence: number; readonly time: string }>(maxTurns, maxAgeMs);

  /** True when a newer event of the same turn was noted. */
  isOutdated(event: WebhookEvent, nowMs: number): boolean {
    const key = keyOf(event);
    const newest = key === undefined ? undefined : this.#newest.get(key, nowMs);
    // A detector that lost its database counts from 1 again: lower sequence, later time. That is news.
    return newest !== undefined && Number(event.sequence) < newest.sequence && event.time <= newest.time;
  }

  note(event: WebhookEvent, nowMs: number): void {
    const key = keyOf(event);
    if (key !== undefined)
      this.#newest.set(key, { sequence: Number(event.sequence), time: event.time }, nowMs);
  }
}

function keyOf(event: WebhookEvent): string | undefined {
  return stateTypes.has(event.type) && event.subject !== undefined
    ? `${event.source}\n${event.subject}`
    : undefined;
}
