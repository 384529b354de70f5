import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import {
  type AttemptResult,
  type BurySelection,
  type DeliveryError,
  type DeliveryRow,
  type DeliveryState,
  type EndpointState,
  type NewDelivery,
  type Outbox,
  turnStateTypes,
} from '@turnwatch/webhook/send';
import type { DeliveryFilter, DeliveryPosition } from './delivery-filter.ts';
import { transaction, withoutSync } from './transaction.ts';
import type { DeliveryAttempt } from './turn-store.ts';

type Row = Record<string, SQLOutputValue>;

const stateTypes = turnStateTypes.map((type) => `'${type}'`).join(', ');

/** The outbox of PROTOCOL 3 in the detector's own database, so that a verdict and its event are one transaction. */
export class SqliteOutbox implements Outbox {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Inside of the caller's transaction. A row that exists is left alone. */
  add(delivery: NewDelivery): void {
    this.#sql(
      `INSERT INTO outbox (id, endpoint_id, sequence, type, turn_id, body, created_at_ms, next_attempt_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    ).run(
      delivery.id,
      delivery.endpointId,
      delivery.sequence,
      delivery.type,
      delivery.turnId,
      delivery.body,
      delivery.createdAtMs,
      delivery.createdAtMs,
    );
  }

  due(endpointId: string, nowMs: number, limit: number): readonly DeliveryRow[] {
    return this.#sql(
      `SELECT * FROM outbox WHERE endpoint_id = ? AND state = 'pending' AND next_attempt_at_ms <= ?
       ORDER BY attempts > 0, sequence LIMIT ?`,
    )
      .all(endpointId, nowMs, limit)
      .map(rowOf);
  }

  newest(endpointId: string): DeliveryRow | undefined {
    const row = this.#sql(
      `SELECT * FROM outbox WHERE endpoint_id = ? AND state = 'pending' ORDER BY sequence DESC LIMIT 1`,
    ).get(endpointId);
    return row === undefined ? undefined : rowOf(row);
  }

  attempted(row: DeliveryRow, result: AttemptResult): { readonly superseded: number } {
    // Not worth an fsync: after a power cut the same event goes out again under the same id, and the receiver drops it.
    return withoutSync(this.#database, () => {
      this.#log(row, result);
      if (result.outcome === 'delivered') {
        this.#sql(
          `UPDATE outbox SET state = 'delivered', attempts = attempts + 1 WHERE id = ? AND endpoint_id = ?`,
        ).run(row.id, row.endpointId);
        return { superseded: this.#supersede(row) };
      }
      this.#sql(
        `UPDATE outbox SET state = ?, attempts = attempts + 1, next_attempt_at_ms = coalesce(?, next_attempt_at_ms),
           error_code = ?, error_status = ?, error_message = ?
         WHERE id = ? AND endpoint_id = ? AND state = 'pending'`,
      ).run(
        result.outcome === 'dead' ? 'dead' : 'pending',
        result.outcome === 'retry' ? result.nextAttemptAtMs : null,
        ...errorColumns(result.error),
        row.id,
        row.endpointId,
      );
      return { superseded: 0 };
    });
  }

  get(id: string, endpointId: string): DeliveryRow | undefined {
    const row = this.#sql('SELECT * FROM outbox WHERE id = ? AND endpoint_id = ?').get(id, endpointId);
    return row === undefined ? undefined : rowOf(row);
  }

  /** `newestDeliveryFirst` as a statement; a test holds the two together. */
  list(
    { state, endpoints, turn }: DeliveryFilter,
    after: DeliveryPosition | undefined,
    limit: number,
  ): readonly DeliveryRow[] {
    return this.#sql(
      `SELECT * FROM outbox
       WHERE (?1 IS NULL OR state = ?1) AND (?2 IS NULL OR turn_id = ?2)
         AND (?3 IS NULL OR endpoint_id IN (SELECT value FROM json_each(?3)))
         AND (?4 IS NULL OR sequence < ?4 OR (sequence = ?4 AND endpoint_id > ?5))
       ORDER BY sequence DESC, endpoint_id LIMIT ?6`,
    )
      .all(
        state ?? null,
        turn ?? null,
        endpoints === undefined ? null : JSON.stringify(endpoints),
        after?.sequence ?? null,
        after?.endpointId ?? null,
        limit,
      )
      .map(rowOf);
  }

  /** Inside of the caller's transaction. */
  drop(endpointId: string, error: DeliveryError): number {
    this.#sql('DELETE FROM endpoint_states WHERE endpoint_id = ?').run(endpointId);
    const { changes } = this.#sql(
      `UPDATE outbox SET state = 'dead', error_code = ?, error_status = ?, error_message = ?
       WHERE endpoint_id = ? AND state = 'pending'`,
    ).run(...errorColumns(error), endpointId);
    return Number(changes);
  }

  bury({ endpointId, createdUntilMs, error }: BurySelection): number {
    const { changes } = this.#sql(
      `UPDATE outbox SET state = 'dead',
         error_status = CASE WHEN error_code IS NULL THEN ?3 ELSE error_status END,
         error_message = CASE WHEN error_code IS NULL THEN ?4 ELSE error_message END,
         error_code = coalesce(error_code, ?5)
       WHERE state = 'pending' AND created_at_ms <= ?1 AND (?2 IS NULL OR endpoint_id = ?2)`,
    ).run(createdUntilMs, endpointId ?? null, error.status ?? null, error.message, error.code);
    return Number(changes);
  }

  release(endpointId: string, nowMs: number): void {
    this.#sql(
      `UPDATE outbox SET next_attempt_at_ms = ?2
       WHERE endpoint_id = ?1 AND state = 'pending' AND next_attempt_at_ms > ?2`,
    ).run(endpointId, nowMs);
  }

  replay(id: string, endpointId: string, nowMs: number): boolean {
    const { changes } = this.#sql(
      `UPDATE outbox SET state = 'pending', attempts = 0, created_at_ms = ?3, next_attempt_at_ms = ?3,
         superseded_by = NULL
       WHERE id = ?1 AND endpoint_id = ?2`,
    ).run(id, endpointId, nowMs);
    return Number(changes) > 0;
  }

  endpointStates(): readonly EndpointState[] {
    return this.#sql('SELECT saved FROM endpoint_states ORDER BY endpoint_id')
      .all()
      .map(({ saved }) => JSON.parse(String(saved)) as EndpointState);
  }

  saveEndpointState(state: EndpointState): void {
    this.#sql(
      'INSERT INTO endpoint_states (endpoint_id, saved) VALUES (?, ?) ON CONFLICT DO UPDATE SET saved = excluded.saved',
    ).run(state.endpointId, JSON.stringify(state));
  }

  attemptsOf(id: string): readonly DeliveryAttempt[] {
    return this.#sql('SELECT * FROM deliveries WHERE id = ? ORDER BY rowid').all(id).map(attemptOf);
  }

  /** Rows in a state, by endpoint. */
  counts(state: DeliveryState): ReadonlyMap<string, number> {
    const rows = this.#sql(
      'SELECT endpoint_id, count(*) AS n FROM outbox WHERE state = ? GROUP BY endpoint_id',
    ).all(state);
    return new Map(rows.map((row) => [String(row.endpoint_id), Number(row.n)]));
  }

  purge(createdBeforeMs: number, keep: number): number {
    return transaction(this.#database, () => {
      const { changes } = this.#sql(
        `DELETE FROM outbox WHERE rowid IN (
           SELECT rowid FROM outbox WHERE state <> 'pending' AND created_at_ms < ?1
           UNION SELECT rowid FROM (
             SELECT rowid FROM outbox WHERE state <> 'pending' ORDER BY created_at_ms DESC LIMIT -1 OFFSET ?2))`,
      ).run(createdBeforeMs, keep);
      this.#sql('DELETE FROM deliveries WHERE at_ms < ?').run(createdBeforeMs);
      if (changes > 0)
        this.#sql(
          `DELETE FROM deliveries WHERE NOT EXISTS (SELECT 1 FROM outbox
             WHERE outbox.id = deliveries.id AND outbox.endpoint_id = deliveries.endpoint_id)`,
        ).run();
      return Number(changes);
    });
  }

  #log(row: DeliveryRow, result: AttemptResult): void {
    const [code, status, message] =
      result.outcome === 'delivered' ? [null, result.status, null] : errorColumns(result.error);
    this.#sql(
      `INSERT INTO deliveries (id, endpoint_id, at_ms, outcome, status, error_code, error_message)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ).run(row.id, row.endpointId, result.atMs, result.outcome, status, code, message);
  }

  /** The rule is `supersedes` of the webhook package, as a statement; a test holds the two together. */
  #supersede(row: DeliveryRow): number {
    if (row.turnId === null || !turnStateTypes.includes(row.type)) return 0;
    const { changes } = this.#sql(
      `UPDATE outbox SET state = 'superseded', superseded_by = ?
       WHERE endpoint_id = ? AND state = 'pending' AND turn_id = ? AND sequence < ? AND type IN (${stateTypes})`,
    ).run(row.id, row.endpointId, row.turnId, row.sequence);
    return Number(changes);
  }

  #sql(text: string): StatementSync {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const made = this.#database.prepare(text);
    this.#statements.set(text, made);
    return made;
  }
}

function errorColumns(error: DeliveryError): [string, number | null, string] {
  return [error.code, error.status ?? null, error.message];
}

function rowOf(row: Row): DeliveryRow {
  const lastError = errorOf(row);
  return {
    id: String(row.id),
    endpointId: String(row.endpoint_id),
    sequence: Number(row.sequence),
    type: String(row.type),
    turnId: row.turn_id === null ? null : String(row.turn_id),
    body: String(row.body),
    createdAtMs: Number(row.created_at_ms),
    attempts: Number(row.attempts),
    nextAttemptAtMs: Number(row.next_attempt_at_ms),
    state: String(row.state) as DeliveryState,
    ...(lastError === undefined ? {} : { lastError }),
    ...(row.superseded_by === null ? {} : { supersededBy: String(row.superseded_by) }),
  };
}

function errorOf(row: Row): DeliveryError | undefined {
  if (row.error_code === null) return undefined;
  return {
    code: String(row.error_code),
    message: String(row.error_message),
    ...(row.error_status === null ? {} : { status: Number(row.error_status) }),
  };
}

function attemptOf(row: Row): DeliveryAttempt {
  return {
    id: String(row.id),
    endpointId: String(row.endpoint_id),
    atMs: Number(row.at_ms),
    outcome: String(row.outcome) as DeliveryAttempt['outcome'],
    ...(row.status === null ? {} : { status: Number(row.status) }),
    ...(row.error_code === null
      ? {}
      : { errorCode: String(row.error_code), errorMessage: String(row.error_message) }),
  };
}
