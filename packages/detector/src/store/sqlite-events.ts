import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import { defaultFeedTypes } from '@turnwatch/protocol';
import type { EventFilter, StoredEvent } from './stored-event.ts';

/** The table of the feed. */
export class SqliteEvents {
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #select: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#insert = database.prepare(
      `INSERT INTO events (sequence, id, type, turn_id, recipient, parent_id, conversation, agent, managed, body, created_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    );
    this.#select = database.prepare(
      `SELECT * FROM events
       WHERE sequence > ?1 AND type IN (SELECT value FROM json_each(?2)) AND (?3 OR NOT managed)
         AND (?4 IS NULL OR turn_id = ?4) AND (?5 IS NULL OR recipient = ?5 OR parent_id = ?5)
         AND (?6 IS NULL OR conversation = ?6) AND (?7 IS NULL OR agent = ?7)
       ORDER BY sequence LIMIT ?8`,
    );
  }

  /** Inside of the caller's transaction. An event that is kept is left alone. */
  add(event: StoredEvent): void {
    this.#insert.run(
      event.sequence,
      event.id,
      event.type,
      event.turnId,
      event.recipient,
      event.parentId,
      event.conversationId,
      event.agent,
      event.managed ? 1 : 0,
      event.body,
      event.createdAtMs,
    );
  }

  after(sequence: number, filter: EventFilter, limit: number): readonly StoredEvent[] {
    return this.#select
      .all(
        sequence,
        JSON.stringify(filter.type ?? defaultFeedTypes),
        filter.managed ? 1 : 0,
        filter.turn ?? null,
        filter.parent ?? null,
        filter.conversation ?? null,
        filter.agent ?? null,
        limit,
      )
      .map(eventOf);
  }

  /** Inside of the caller's transaction. In order of `sequence`, so that a cursor has missed all before it or nothing. */
  purge(createdBeforeMs: number, keep: number): { readonly dropped: number; readonly through: number } {
    const row = this.#database
      .prepare(
        `SELECT max(
           coalesce((SELECT max(sequence) FROM events WHERE created_at_ms < ?1), 0),
           coalesce((SELECT sequence FROM events ORDER BY sequence DESC LIMIT 1 OFFSET ?2), 0)) AS through`,
      )
      .get(createdBeforeMs, keep);
    const through = Number(row?.through);
    const { changes } = this.#database.prepare('DELETE FROM events WHERE sequence <= ?').run(through);
    return { dropped: Number(changes), through };
  }
}

function eventOf(row: Record<string, SQLOutputValue>): StoredEvent {
  const text = (value: SQLOutputValue | undefined): string | null =>
    value === null || value === undefined ? null : String(value);
  return {
    sequence: Number(row.sequence),
    id: String(row.id),
    type: String(row.type),
    turnId: text(row.turn_id),
    recipient: text(row.recipient),
    parentId: text(row.parent_id),
    conversationId: text(row.conversation),
    agent: text(row.agent),
    managed: row.managed === 1,
    body: String(row.body),
    createdAtMs: Number(row.created_at_ms),
  };
}
