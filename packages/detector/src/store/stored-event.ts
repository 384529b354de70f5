import { defaultFeedTypes, type EventQuery } from '@turnwatch/protocol';

/** An event as the feed keeps it: the frozen document, and what it is found by. Once, however many endpoints it went to. */
export interface StoredEvent {
  /** The document's `sequence` as a number: the cursor of the feed. */
  readonly sequence: number;
  readonly id: string;
  readonly type: string;
  readonly turnId: string | null;
  /** Who is told; null: the default endpoints. */
  readonly recipient: string | null;
  /** For whom it was meant. */
  readonly parentId: string | null;
  readonly conversationId: string | null;
  readonly agent: string | null;
  /** Somebody else manages the turn: no parent is told of it (report 002, point 7). */
  readonly managed: boolean;
  readonly body: string;
  /** Wall clock. */
  readonly createdAtMs: number;
}

/** What of a query decides which events are wanted. */
export type EventFilter = Pick<EventQuery, 'turn' | 'parent' | 'conversation' | 'agent' | 'type' | 'managed'>;

export interface EventBounds {
  /** Events up to here were dropped by retention: a cursor below has missed some. */
  readonly droppedThrough: number;
  /** The last sequence number that is kept durably. */
  readonly newest: number;
}

/** The rule of the feed; SqliteStore has it as a statement, and one test holds both to it. */
export function isWanted(event: StoredEvent, filter: EventFilter): boolean {
  const { turn, parent, conversation, agent, type = defaultFeedTypes, managed } = filter;
  return (
    type.some((wanted) => wanted === event.type) &&
    (managed || !event.managed) &&
    (turn === undefined || turn === event.turnId) &&
    (parent === undefined || parent === event.recipient || parent === event.parentId) &&
    (conversation === undefined || conversation === event.conversationId) &&
    (agent === undefined || agent === event.agent)
  );
}
