import { randomBytes } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type {
  AttemptResult,
  BurySelection,
  DeliveryError,
  DeliveryRow,
  EndpointState,
} from '@turnwatch/webhook/send';
import type { BackupMark } from './backup-store.ts';
import type { DeliveryFilter, DeliveryPosition } from './delivery-filter.ts';
import { FileWatch } from './file-watch.ts';
import { type OpenDatabase, openDatabase } from './open-database.ts';
import { readState } from './read-state.ts';
import { SqliteAudit } from './sqlite-audit.ts';
import { SqliteEvents } from './sqlite-events.ts';
import { SqliteOutbox } from './sqlite-outbox.ts';
import { SqliteCode, sqliteCodeOf } from './store-error.ts';
import type { AuditFilter, StoredAudit } from './stored-audit.ts';
import type { StoredEndpoint } from './stored-endpoint.ts';
import type { EventBounds, EventFilter, StoredEvent } from './stored-event.ts';
import { transaction, withoutSync } from './transaction.ts';
import type { Commit, DeliveryAttempt, StoredState, TurnStore } from './turn-store.ts';

/** Pages of 4 KiB that are given back to the file system at once: 8 MB, some ten milliseconds. */
const shrunkPages = 2000;

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
  /** Where an older schema was migrated: the copy that was made before. */
  readonly migrated: OpenDatabase['migrated'];
  readonly #unlock: () => void;
  readonly #watch: FileWatch;
  #closed = false;

  private constructor({ file, database, unlock, migrated }: OpenDatabase) {
    this.place = file;
    this.#database = database;
    this.#unlock = unlock;
    this.migrated = migrated;
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
        `INSERT INTO baselines (key, saved, used_at_ms) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET saved = excluded.saved, used_at_ms = excluded.used_at_ms`,
      ),
      meta: database.prepare(
        'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
      ),
    };
    if (this.#meta('detector_id') === undefined)
      this.#statements.meta.run('detector_id', `det_${randomBytes(10).toString('hex')}`);
    this.detectorId = this.#meta('detector_id') ?? '';
    this.#watch = new FileWatch(file);
  }

  /**
   * Opens or makes the file.
   * @throws {StoreError} where it is foreign, damaged, read-only, newer than this version or in use.
   */
  static open(file: string): SqliteStore {
    const opened = openDatabase(file);
    try {
      return new SqliteStore(opened);
    } catch (error) {
      opened.database.close();
      opened.unlock();
      throw error;
    }
  }

  /**
   * Where the file is a backup: numbers of events go on beyond all that may have been given out since it was taken, so
   * that nobody who reads the feed misses any. Undefined: it is none.
   */
  startFromBackup(wallMs: number): BackupMark | undefined {
    const text = this.#meta('backup');
    if (text === undefined) return undefined;
    const mark = JSON.parse(text) as BackupMark;
    // More than a thousand events a second nobody tells.
    const beyond = 1_000_000 + Math.max(0, Math.floor(wallMs - mark.takenAtMs));
    transaction(this.#database, () => {
      this.#statements.meta.run('sequence', String(Number(this.#meta('sequence') ?? 0) + beyond));
      this.#database.exec(`DELETE FROM meta WHERE key = 'backup'`);
    });
    return mark;
  }

  load(): StoredState {
    return readState(this.#database, this.place);
  }

  commit(commit: Commit): void {
    this.#watch.check();
    try {
      if (commit.lazy === true) withoutSync(this.#database, () => this.#write(commit));
      else transaction(this.#database, () => this.#write(commit));
    } catch (error) {
      if (sqliteCodeOf(error) === SqliteCode.full) this.#reuseJournal();
      throw error;
    }
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

  purgeBaselines(usedBeforeMs: number, keep: number): readonly string[] {
    return this.#database
      .prepare(
        `DELETE FROM baselines WHERE used_at_ms < ?1 OR key IN (
           SELECT key FROM baselines ORDER BY used_at_ms DESC, key LIMIT -1 OFFSET ?2) RETURNING key`,
      )
      .all(usedBeforeMs, keep)
      .map(({ key }) => String(key));
  }

  shrink(): void {
    this.#database.exec(`PRAGMA incremental_vacuum(${shrunkPages})`);
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
    this.#watch.check();
    this.#database
      .prepare(
        'INSERT INTO endpoints (id, saved) VALUES (?, ?) ON CONFLICT DO UPDATE SET saved = excluded.saved',
      )
      .run(endpoint.id, JSON.stringify(endpoint));
  }

  dropEndpoint(id: string, error: DeliveryError): number {
    this.#watch.check();
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

  /** A journal that has filled the disk is written back, so that the next commit finds room at its beginning. */
  #reuseJournal(): void {
    try {
      this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch (error) {
      // The file may have to grow for it, and there is no room: the commit's own error says so already.
      if (sqliteCodeOf(error) === undefined) throw error;
    }
  }

  /** Inside of a transaction. */
  #write(commit: Commit): void {
    const { turn, baseline, forget, meta, own, disown } = this.#statements;
    for (const { kind, id } of commit.owners?.released ?? []) disown.run(kind, id);
    for (const { kind, id, owner } of commit.owners?.claimed ?? []) own.run(kind, id, owner);
    const usedAtMs = commit.clocks?.wallMs ?? 0;
    for (const { id, saved } of commit.turns) turn.run(id, JSON.stringify(saved));
    for (const { key, saved } of commit.baselines) baseline.run(key, JSON.stringify(saved), usedAtMs);
    for (const id of commit.forgottenTurns) forget.run(id);
    for (const delivery of commit.deliveries) this.#outbox.add(delivery);
    for (const event of commit.events) this.#events.add(event);
    for (const entry of commit.audit ?? []) this.#audit.add(entry);
    meta.run('awake_ms', String(commit.awakeMs));
    meta.run('sequence', String(commit.sequence));
    if (commit.clocks !== undefined) meta.run('clocks', JSON.stringify(commit.clocks));
    if (commit.rest !== undefined) meta.run('rest', JSON.stringify(commit.rest));
  }

  #meta(key: string): string | undefined {
    const row = this.#database.prepare('SELECT value FROM meta WHERE key = ?').get(key);
    return row === undefined ? undefined : String(row.value);
  }
}
