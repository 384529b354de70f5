import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { AuditAction } from '@turnwatch/protocol';
import type { AuditEntry, AuditFilter, StoredAudit } from './stored-audit.ts';

/** The table of what operators did. It is only ever added to, and shortened at its old end. */
export class SqliteAudit {
  readonly #insert: StatementSync;
  readonly #select: StatementSync;
  readonly #count: StatementSync;
  readonly #purge: StatementSync;

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare(
      `INSERT INTO audit (at_ms, by, action, turn_id, baseline, why, details, request_id)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#select = database.prepare(
      `SELECT * FROM audit
       WHERE (?1 IS NULL OR id < ?1) AND (?2 IS NULL OR turn_id = ?2) AND (?3 IS NULL OR action = ?3)
       ORDER BY id DESC LIMIT ?4`,
    );
    this.#count = database.prepare('SELECT count(*) AS count FROM audit');
    this.#purge = database.prepare(
      `DELETE FROM audit WHERE id IN (SELECT id FROM audit
       WHERE (action LIKE 'turn.%' OR action LIKE 'baseline.%') = ?1 ORDER BY id DESC LIMIT -1 OFFSET ?2)`,
    );
  }

  /** Inside of the caller's transaction. */
  add({ atMs, by, action, turn, baseline, why, details, requestId }: AuditEntry): void {
    this.#insert.run(atMs, by, action, turn, baseline, why, JSON.stringify(details), requestId);
  }

  list({ turn, action }: AuditFilter, before: number | undefined, limit: number): readonly StoredAudit[] {
    return this.#select.all(before ?? null, turn ?? null, action ?? null, limit).map(entryOf);
  }

  purge(keep: number): number {
    if (Number(this.#count.get()?.count) <= keep) return 0;
    return Number(this.#purge.run(1, keep).changes) + Number(this.#purge.run(0, keep).changes);
  }
}

function entryOf(row: Record<string, SQLOutputValue>): StoredAudit {
  const text = (value: SQLOutputValue | undefined): string | null =>
    value === null || value === undefined ? null : String(value);
  return {
    id: Number(row.id),
    atMs: Number(row.at_ms),
    by: String(row.by),
    action: String(row.action) as AuditAction,
    turn: text(row.turn_id),
    baseline: text(row.baseline),
    why: text(row.why),
    details: JSON.parse(String(row.details)) as StoredAudit['details'],
    requestId: text(row.request_id),
  };
}
