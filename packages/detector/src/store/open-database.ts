import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrations } from './migrations.ts';
import { SqliteCode, StoreError, sqliteCodeOf } from './store-error.ts';

/** Marks a file as ours in SQLite's own header field ("TWCH"), so that no other program's database is ever written to. */
const applicationId = 0x54_57_43_48;
/** A lock that is held longer than this is somebody else's backup; the tick must not stand still for it. */
const busyTimeoutMs = 1000;

export interface OpenDatabase {
  readonly database: DatabaseSync;
  /** Gives the file free for another detector. Call it after closing the database. */
  unlock(): void;
}

/**
 * Opens or makes the detector's database: checked, migrated, in WAL mode with `synchronous=FULL` (an acknowledged start,
 * end or verdict survives a power cut), locked against a second detector.
 *
 * @throws {StoreError} naming the file, the trouble and what to do. A file that is not ours is never written to.
 */
export function openDatabase(named: string): OpenDatabase {
  checkPlace(named);
  // By its own name: through a link a second detector would find another lock, and SQLite another journal.
  const file = existsSync(named) ? realpathSync(named) : named;
  let database: DatabaseSync | undefined;
  let unlock: (() => void) | undefined;
  try {
    database = new DatabaseSync(file, { timeout: busyTimeoutMs });
    checkOwner(database, file);
    unlock = lock(file);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY');
    migrate(database, file);
    checkHealth(database, file);
    return { database, unlock };
  } catch (error) {
    database?.close();
    unlock?.();
    throw explain(error, file);
  }
}

function checkPlace(file: string): void {
  const directory = statSync(dirname(file), { throwIfNoEntry: false });
  if (directory === undefined || !directory.isDirectory())
    throw new StoreError(
      'STORE_MISSING_DIRECTORY',
      file,
      `there is no directory ${dirname(file)}; make it, or set detector.store.file to a path in one that exists`,
    );
  const place = statSync(file, { throwIfNoEntry: false });
  if (place !== undefined && !place.isFile())
    throw new StoreError(
      'STORE_NOT_A_FILE',
      file,
      'is not a file; set detector.store.file to the path of a file',
    );
}

function checkOwner(database: DatabaseSync, file: string): void {
  const id = pragma(database, 'application_id');
  const tables = Number(database.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.n);
  if (id !== applicationId && (id !== 0 || tables > 0))
    throw new StoreError(
      'STORE_FOREIGN',
      file,
      'is a database of another program and was left as it is; set detector.store.file to another path',
    );
  const version = pragma(database, 'user_version');
  if (version > migrations.length)
    throw new StoreError(
      'STORE_NEWER',
      file,
      `was written by a newer version (schema ${version}, this one knows ${migrations.length}); ` +
        'run that version, or set detector.store.file to another path',
    );
}

/** An operating system lock of its own, gone with the process however it dies: two detectors would tell everything twice. */
function lock(file: string): () => void {
  const guard = new DatabaseSync(`${file}.lock`, { timeout: 0 });
  try {
    guard.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    guard.close();
    if (sqliteCodeOf(error) !== SqliteCode.busy) throw error;
    throw new StoreError(
      'STORE_IN_USE',
      file,
      'another detector has it open; stop that one, or set detector.store.file (TURNWATCH_STORE) to another path',
      error,
    );
  }
  return () => guard.close();
}

function migrate(database: DatabaseSync, file: string): void {
  const from = pragma(database, 'user_version');
  // Also where nothing is to be migrated: the write shows a read-only file at the start, not at the first verdict.
  database.exec('BEGIN IMMEDIATE');
  try {
    for (const step of migrations.slice(from)) database.exec(step);
    database.exec(
      `PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}; COMMIT`,
    );
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw explain(error, file);
  }
}

function checkHealth(database: DatabaseSync, file: string): void {
  const first = database.prepare('PRAGMA quick_check(1)').get()?.quick_check;
  if (first !== 'ok') throw corrupt(file, String(first));
}

function pragma(database: DatabaseSync, name: 'application_id' | 'user_version'): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
}

function corrupt(file: string, detail: string, cause?: unknown): StoreError {
  return new StoreError(
    'STORE_CORRUPT',
    file,
    `is damaged or no database (${detail}); move it and ${file}-wal away and start again with an empty one, ` +
      `restore a backup, or try: sqlite3 ${file} .recover`,
    cause,
  );
}

function explain(error: unknown, file: string): StoreError {
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
    default:
      return new StoreError('STORE_FAILED', file, `cannot be opened (${message})`, error);
  }
}
