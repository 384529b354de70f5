import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { migrations } from './migrations.ts';
import { keepOwnerOnly, makeOwnerOnly } from './owner-only.ts';
import { SqliteCode, StoreError, sqliteCodeOf } from './store-error.ts';
import { lockStore } from './store-lock.ts';
import { storePlace } from './store-place.ts';

/** Marks a file as ours in SQLite's own header field ("TWCH"), so that no other program's database is ever written to. */
const applicationId = 0x54_57_43_48;
/** A lock that is held longer than this is somebody else's; the tick must not stand still for it. */
const busyTimeoutMs = 200;
/** Pages of 4 KiB: the journal goes back into the file beyond it. Larger means fewer, longer pauses. */
const walPages = 4000;
/** What is left of a journal that had grown (under a backup, or a full disk). */
const walKeptBytes = 64 * 1024 * 1024;
/** A larger file is not read through at the start: half a second a gigabyte, and every second nobody judges counts. */
const checkedBytes = 256 * 1024 * 1024;

export interface OpenDatabase {
  readonly file: string;
  readonly database: DatabaseSync;
  /** Where an older schema was migrated: the copy that was made before. */
  readonly migrated?: { readonly from: number; readonly copy: string };
  /** Gives the file free for another detector. Call it after closing the database. */
  unlock(): void;
}

/**
 * Opens or makes the detector's database: checked, migrated, in WAL mode with `synchronous=FULL` (an acknowledged start,
 * end or verdict survives a power cut), locked against a second detector, readable by its owner only. An older schema is
 * copied before it is migrated.
 *
 * @param steps the schema, for tests
 * @throws {StoreError} naming the file, the trouble and what to do. A file that is not ours is never written to.
 */
export function openDatabase(named: string, steps: readonly string[] = migrations): OpenDatabase {
  const file = storePlace(named);
  let database: DatabaseSync | undefined;
  let unlock: (() => void) | undefined;
  try {
    makeFirst(file);
    database = new DatabaseSync(file, { timeout: busyTimeoutMs });
    const version = checkOwner(database, file, steps.length);
    unlock = lockStore(file);
    // Read before anything is written: a damaged file is left as it is for those who mend it.
    if (statSync(file).size <= checkedBytes) checkHealth(database, file);
    // Only before the first table; a file that has some keeps what it was made with.
    if (version === 0) database.exec('PRAGMA auto_vacuum = INCREMENTAL');
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY');
    database.exec(`PRAGMA wal_autocheckpoint = ${walPages}; PRAGMA journal_size_limit = ${walKeptBytes}`);
    const copy = version > 0 && version < steps.length ? copyBefore(database, file, steps.length) : undefined;
    migrate(database, file, version, steps);
    keepOwnerOnly(file);
    return {
      file,
      database,
      unlock,
      ...(copy === undefined ? {} : { migrated: { from: version, copy } }),
    };
  } catch (error) {
    database?.close();
    unlock?.();
    throw explain(error, file);
  }
}

/** The journal takes the rights of its database, so they are right before SQLite makes either. */
function makeFirst(file: string): void {
  if (existsSync(file)) return;
  try {
    makeOwnerOnly(file);
  } catch {
    // SQLite will not get further, and `explain` knows its errors. A link to nowhere it can follow.
  }
}

/**
 * The version of the schema; 0: a new file.
 * @throws {StoreError} where it is not ours, or of a newer version
 */
export function checkOwner(database: DatabaseSync, file: string, known: number = migrations.length): number {
  const id = pragma(database, 'application_id');
  const tables = Number(database.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.n);
  if (id !== applicationId && (id !== 0 || tables > 0))
    throw new StoreError(
      'STORE_FOREIGN',
      file,
      'is a database of another program and was left as it is; set detector.store.file to another path',
    );
  const version = pragma(database, 'user_version');
  if (version > known)
    throw new StoreError(
      'STORE_NEWER',
      file,
      `was written by a newer version (schema ${version}, this one knows ${known}); run that version, go back to the ` +
        `copy that was made before the upgrade (${file}.before-schema-*), or set detector.store.file to another path`,
    );
  return version;
}

/** The way back: an upgrade that has gone wrong must not have eaten the only copy. */
function copyBefore(database: DatabaseSync, file: string, version: number): string {
  const copy = `${file}.before-schema-${version}`;
  const unfinished = `${copy}.unfinished`;
  try {
    rmSync(unfinished, { force: true });
    makeOwnerOnly(unfinished);
    database.prepare('VACUUM INTO ?').run(unfinished);
    renameSync(unfinished, copy);
  } catch (error) {
    rmSync(unfinished, { force: true });
    const message = error instanceof Error ? error.message : String(error);
    throw new StoreError(
      'STORE_FAILED',
      file,
      `is of an older version and could not be copied to ${copy} before the upgrade (${message}); nothing was changed: ` +
        `make room for ${Math.ceil(statSync(file).size / 1e6)} MB there and start again`,
      error,
    );
  }
  return copy;
}

function migrate(database: DatabaseSync, file: string, from: number, steps: readonly string[]): void {
  try {
    // Also where nothing is to be migrated: the write shows a read-only file at the start, not at the first verdict.
    database.exec('BEGIN IMMEDIATE');
    for (const step of steps.slice(from)) database.exec(step);
    database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${steps.length}; COMMIT`);
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    // A full disk is no reason not to judge: it starts, says so, and goes on by itself when there is room.
    if (from === steps.length && sqliteCodeOf(error) === SqliteCode.full) return;
    throw explain(error, file);
  }
}

/** @throws {StoreError} where a page is damaged */
export function checkHealth(database: DatabaseSync, file: string): void {
  const first = database.prepare('PRAGMA quick_check(1)').get()?.quick_check;
  if (first !== 'ok') throw corrupt(file, String(first));
}

function pragma(database: DatabaseSync, name: 'application_id' | 'user_version'): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
}

export function corrupt(file: string, detail: string, cause?: unknown): StoreError {
  return new StoreError(
    'STORE_CORRUPT',
    file,
    `is damaged or no database (${detail}); restore a backup, try: sqlite3 ${file} .recover - or start with ` +
      '--replace-corrupt-store, which moves it aside and begins with an empty one',
    cause,
  );
}

export function explain(error: unknown, file: string): StoreError {
  if (error instanceof StoreError) return error;
  const message = error instanceof Error ? error.message : String(error);
  switch (sqliteCodeOf(error)) {
    case SqliteCode.corrupt:
    case SqliteCode.notADatabase:
      return corrupt(file, message, error);
    case SqliteCode.readOnly:
    case SqliteCode.cannotOpen:
      return new StoreError(
        'STORE_READ_ONLY',
        file,
        `cannot be written to (${message}); let this user write the file and its directory, or run with detector.store: memory`,
        error,
      );
    case SqliteCode.full:
      return new StoreError('STORE_FAILED', file, 'the disk is full; make room and start again', error);
    case SqliteCode.busy:
      return new StoreError(
        'STORE_IN_USE',
        file,
        'another program holds its lock; end that one (lsof names it) and start again',
        error,
      );
    default:
      return new StoreError('STORE_FAILED', file, `cannot be opened (${message})`, error);
  }
}
