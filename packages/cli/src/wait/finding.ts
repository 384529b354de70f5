import { isTurnStale, isTurnSuspect, type WebhookEvent } from '@turnwatch/webhook/receive';
import { expiredText, staleText, verdictText } from '@turnwatch/webhook/sinks';
import type { TurnState } from './turn-state.ts';

/** A verdict that was waited for. */
export interface Finding {
  readonly type: string;
  readonly turn: string;
  /** The same whether it was found as an event or as the state of its turn. */
  readonly key: string;
  /** One line for the agent. */
  readonly message: string;
  /** The event, or the state of the turn. */
  readonly document: WebhookEvent | TurnState;
}

export function findingOf(event: WebhookEvent): Finding {
  const turn = event.subject ?? '';
  return { type: event.type, turn, key: keyOf(event), message: verdictText(event), document: event };
}

function keyOf(event: WebhookEvent): string {
  if (isTurnStale(event))
    return staleKey(event.data.turn.id, event.data.turn.attempt, event.data.stale.episode);
  // All else has a derived id that is the same for the same happening; expired turns are found as states too.
  const { subject, data } = event;
  const turn = typeof data === 'object' && data !== null && 'turn' in data ? data.turn : undefined;
  const attempt = typeof turn === 'object' && turn !== null && 'attempt' in turn ? turn.attempt : undefined;
  return event.type === 'turn.expired' ? expiredKey(subject ?? '', Number(attempt)) : event.id;
}

/** What is so already when the waiting begins; or what the feed of a detector that lost its database cannot tell. */
export function findingIn(turn: TurnState, link: string): Finding | undefined {
  const { id, attempt, episode } = turn;
  if (turn.state === 'stale')
    return {
      type: 'turn.stale',
      turn: id,
      key: staleKey(id, attempt, episode),
      message: staleText(namesOf(turn), whyOf(turn), link),
      document: turn,
    };
  if (turn.state === 'expired')
    return {
      type: 'turn.expired',
      turn: id,
      key: expiredKey(id, attempt),
      message: expiredText(namesOf(turn), turn.expiresAt === null ? {} : { expiresAt: turn.expiresAt }, link),
      document: turn,
    };
  return undefined;
}

const staleKey = (id: string, attempt: number, episode: number): string =>
  JSON.stringify(['turn.stale', id, attempt, episode]);
const expiredKey = (id: string, attempt: number): string => JSON.stringify(['turn.expired', id, attempt]);

function namesOf({ id, agent, model, parentId }: TurnState): Parameters<typeof staleText>[0] {
  return {
    id,
    ...(agent === null ? {} : { agent }),
    ...(model === null ? {} : { model }),
    ...(parentId === null ? {} : { parentId }),
  };
}

function whyOf({ reason, phase, silenceMs, thresholdMs, calls }: TurnState): Parameters<typeof staleText>[1] {
  return {
    reason: reason ?? 'unknown',
    phase,
    silenceMs,
    thresholdMs,
    pendingToolCalls: calls,
    expiredToolCalls: calls.filter(({ expired }) => expired).map(({ id }) => id),
  };
}

/** What is left of events that came at once: a stall that is over by now wakes nobody. */
export function standing(events: readonly WebhookEvent[]): readonly WebhookEvent[] {
  return events.filter(
    (event, index) =>
      !(isTurnStale(event) || isTurnSuspect(event)) ||
      !events
        .slice(index + 1)
        .some((later) => later.subject === event.subject && later.type === 'turn.recovered'),
  );
}
