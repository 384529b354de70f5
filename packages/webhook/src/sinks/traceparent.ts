import { createHash } from 'node:crypto';
import type { WebhookEvent } from '../receive/events.generated.ts';
import { turnOf } from './turn-of.ts';

/**
 * The W3C `traceparent` of an event: in the trace of its turn, so that whoever acts on it acts in that trace; in one
 * derived from the event's id where the turn has none. Derived, not random: it is the same in every attempt.
 */
export function traceparentOf(event: WebhookEvent): string {
  const hash = createHash('sha256').update(event.id).digest('hex');
  const own = turnOf(event)?.traceId;
  const trace =
    own !== undefined && /^[0-9a-f]{32}$/.test(own) && !/^0+$/.test(own) ? own : hash.slice(0, 32);
  return `00-${trace}-${hash.slice(32, 48)}-01`;
}
