import type { TurnDetails, WebhookEvent } from '../receive/events.generated.ts';

/** The turn that an event is about, if it is about one; also for types that this version does not know. */
export function turnOf(event: WebhookEvent): Partial<TurnDetails> | undefined {
  const { data } = event;
  if (typeof data !== 'object' || data === null || !('turn' in data)) return undefined;
  const { turn } = data;
  return typeof turn === 'object' && turn !== null ? turn : undefined;
}
