import { randomBytes } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { SavedBaseline, SavedRest, SavedTurn } from '@turnwatch/core';
import type {
  AttemptResult,
  BurySelection,
  DeliveryError,
  DeliveryRow,
  EndpointState,
} from '@turnwatch/webhook/send';
import type { OwnedKind } from '../access/owners.ts';
import type { DeliveryFilter, DeliveryPosition } from './delivery-filter.ts';
import { openDatabase } from './open-database.ts';
import { SqliteAudit } from './sqlite-audit.ts';
import { SqliteEvents } from './sqlite-events.ts';
import { SqliteOutbox } from './sqlite-outbox.ts';
import type { AuditFilter, StoredAudit } from './stored-audit.ts';
import type { StoredEndpoint } from './stored-endpoint.ts';
import type { EventBounds, EventFilter, StoredEvent } from './stored-event.ts';
import { transaction } from './transaction.ts';
import type { Commit, DeliveryAttempt, StoredState, TurnStore } from './turn-store.ts';

interface Statements {
  readonly own: StatementSync;
  readonly disown: StatementSync;
  readonly turn: StatementSync;
  readonly forget: StatementSync;
  readonly baseline: StatementSync;
  readonly meta: StatementSync;
}

/** The detector's state in one SQLite file. */
export class SqliteStore implements TurnStore {
  readonly place: string;
  readonly detectorId: string;
  readonly #database: DatabaseSync;
  readonly #outbox: SqliteOutbox;
  readonly #events: SqliteEvents;
  readonly #audit: SqliteAudit;
  readonly #statements: Statements;
  readonly #unlock: () => void;
  #closed = false;

  private constructor(file: string, database: DatabaseSync, unlock: () => void) {
    this.place = file;
    this.#database = database;
    this.#unlock = unlock;
    this.#outbox = new SqliteOutbox(database);
    this.#events = new SqliteEvents(database);
    this.#audit = new SqliteAudit(database);
    this.#statements = {
      own: database.prepare(
        'INSERT INTO owners (kind, id, owner) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET owner = excluded.owner',
      ),
      disown: database.prepare('DELETE FROM owners WHERE kind = ? AND id = ?'),
      turn: database.prepare(
        'INSERT INTO turns (id, saved) VALUES (?, ?) ON CONFLICT DO UPDATE SET saved = excluded.saved',
      ),
      forget: database.prepare('DELETE FROM turns WHERE id = ?'),
      baseline: database.prepare(
        'INSERT INTO baselines (key, saved) VALUES (?, ?) ON CONFLICT DO UPDATE SET saved = excluded.saved',
      ),
      meta: database.prepare(
        'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
      ),
    };
    database
      .prepare(`INSERT INTO meta (key, value) VALUES ('detector_id', ?) ON CONFLICT DO NOTHING`)
      .run(`det_${randomBytes(10).toString('hex')}`);
    this.detectorId = this.#meta('detector_id') ?? '';
  }

  /**
   * Opens or makes the file.
   * @throws {StoreError} where it is foreign, damaged, read-only, newer than this version or in use.
   */
  static open(file: string): SqliteStore {
    const { database, unlock } = openDatabase(file);
    return new SqliteStore(file, database, unlock);
  }

  load(): StoredState {
    const saved = (table: 'turns' | 'baselines'): string[] =>
      this.#database
        .prepare(`SELECT saved FROM ${table} ORDER BY rowid`)
        .all()
        .map((row) => String(row.saved));
    const rest = this.#meta('rest');
    return {
      turns: saved('turns').map((text) => JSON.parse(text) as SavedTurn),
      baselines: saved('baselines').map((text) => JSON.parse(text) as SavedBaseline),
      awakeMs: Number(this.#meta('awake_ms') ?? 0),
      sequence: Number(this.#meta('sequence') ?? 0),
      owners: this.#database
        .prepare('SELECT kind, id, owner FROM owners')
        .all()
        .map(({ kind, id, owner }) => ({ kind: kind as OwnedKind, id: String(id), owner: String(owner) })),
      ...(rest === undefined ? {} : { rest: JSON.parse(rest) as SavedRest }),
    };
  }

  commit(commit: Commit): void {
    transaction(this.#database, () => {
      const { turn, baseline, forget, meta, own, disown } = this.#statements;
      for (const { kind, id } of commit.owners?.released ?? []) disown.run(kind, id);
      for (const { kind, id, owner } of commit.owners?.claimed ?? []) own.run(kind, id, owner);
      for (const { id, saved } of commit.turns) turn.run(id, JSON.stringify(saved));
      for (const { key, saved } of commit.baselines) baseline.run(key, JSON.stringify(saved));
      for (const id of commit.forgottenTurns) forget.run(id);
      for (const delivery of commit.deliveries) this.#outbox.add(delivery);
      for (const event of commit.events) this.#events.add(event);
      for (const entry of commit.audit ?? []) this.#audit.add(entry);
      meta.run('awake_ms', String(commit.awakeMs));
      meta.run('sequence', String(commit.sequence));
      if (commit.rest !== undefined) meta.run('rest', JSON.stringify(commit.rest));
    });
  }

  purgeDeliveries(createdBeforeMs: number, keep: number): number {
    return this.#outbox.purge(createdBeforeMs, keep);
  }

  deliveries(
    filter: DeliveryFilter,
    after: DeliveryPosition | undefined,
    limit: number,
  ): readonly DeliveryRow[] {
    return this.#outbox.list(filter, after, limit);
  }

  delivery(id: string, endpointId: string): DeliveryRow | undefined {
    return this.#outbox.get(id, endpointId);
  }

  eventsAfter(sequence: number, filter: EventFilter, limit: number): readonly StoredEvent[] {
    return this.#events.after(sequence, filter, limit);
  }

  eventBounds(): EventBounds {
    return {
      droppedThrough: Number(this.#meta('events_dropped') ?? 0),
      newest: Number(this.#meta('sequence') ?? 0),
    };
  }

  purgeEvents(createdBeforeMs: number, keep: number): number {
    return transaction(this.#database, () => {
      const { dropped, through } = this.#events.purge(createdBeforeMs, keep);
      if (dropped > 0) this.#statements.meta.run('events_dropped', String(through));
      return dropped;
    });
  }

  audit(filter: AuditFilter, before: number | undefined, limit: number): readonly StoredAudit[] {
    return this.#audit.list(filter, before, limit);
  }

  purgeAudit(keep: number): number {
    return this.#audit.purge(keep);
  }

  endpoints(): readonly StoredEndpoint[] {
    return this.#database
      .prepare('SELECT saved FROM endpoints ORDER BY rowid')
      .all()
      .map(({ saved }) => JSON.parse(String(saved)) as StoredEndpoint);
  }

  saveEndpoint(endpoint: StoredEndpoint): void {
    this.#database
      .prepare(
        'INSERT INTO endpoints (id, saved) VALUES (?, ?) ON CONFLICT DO UPDATE SET saved = excluded.saved',
      )
      .run(endpoint.id, JSON.stringify(endpoint));
  }

  dropEndpoint(id: string, error: DeliveryError): number {
    return transaction(this.#database, () => {
      this.#database.prepare('DELETE FROM endpoints WHERE id = ?').run(id);
      return this.#outbox.drop(id, error);
    });
  }

  attemptsOf(id: string): readonly DeliveryAttempt[] {
    return this.#outbox.attemptsOf(id);
  }

  backlog(): ReadonlyMap<string, number> {
    return this.#outbox.counts('pending');
  }

  deadLetters(): ReadonlyMap<string, number> {
    return this.#outbox.counts('dead');
  }

  /** Writes the log back into the file, so that one file is all there is to copy. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    try {
      this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      this.#database.close();
      this.#unlock();
    }
  }

  due(endpointId: string, nowMs: number, limit: number): readonly DeliveryRow[] {
    return this.#outbox.due(endpointId, nowMs, limit);
  }

  newest(endpointId: string): DeliveryRow | undefined {
    return this.#outbox.newest(endpointId);
  }

  attempted(row: DeliveryRow, result: AttemptResult): { readonly superseded: number } {
    return this.#outbox.attempted(row, result);
  }

  bury(selection: BurySelection): number {
    return this.#outbox.bury(selection);
  }

  release(endpointId: string, nowMs: number): void {
    this.#outbox.release(endpointId, nowMs);
  }

  replay(id: string, endpointId: string, nowMs: number): boolean {
    return this.#outbox.replay(id, endpointId, nowMs);
  }

  endpointStates(): readonly EndpointState[] {
    return this.#outbox.endpointStates();
  }

  saveEndpointState(state: EndpointState): void {
    this.#outbox.saveEndpointState(state);
  }

  #meta(key: string): string | undefined {
    const row = this.#database.prepare('SELECT value FROM meta WHERE key = ?').get(key);
    return row === undefined ? undefined : String(row.value);
  }
}
