import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { checkHealth, checkOwner, explain } from './open-database.ts';
import { makeOwnerOnly } from './owner-only.ts';
import { setAside } from './set-aside.ts';
import { StoreError } from './store-error.ts';
import { lockStore } from './store-lock.ts';
import { storePlace } from './store-place.ts';

/** Long enough for a detector that is just writing its journal back. */
const busyTimeoutMs = 10_000;

export interface Backup {
  readonly file: string;
  readonly bytes: number;
  readonly turns: number;
  /** Version of the schema. */
  readonly schema: number;
}

/** What a copy says of itself, so that a detector that starts on it knows. */
export interface BackupMark {
  readonly takenAtMs: number;
}

/**
 * Copies a database to a new file, readable by its owner only, complete as of one moment, checked, and on the disk when
 * this returns. The detector may be running on it: it is not held up. The copy is compact.
 *
 * @throws {StoreError} and nothing is left at `out`.
 */
export function backupStore(named: string, out: string, wallMs: number): Backup {
  if (!existsSync(named))
    throw new StoreError('STORE_FAILED', named, 'is not there; name the database with --db or --config');
  if (existsSync(out))
    throw new StoreError('STORE_FAILED', out, 'exists already and was left as it is; choose another name');
  const file = storePlace(named);
  storePlace(out);
  const unfinished = `${out}.unfinished`;
  try {
    // Secrets of endpoints are in it. VACUUM INTO takes a file that is empty.
    rmSync(unfinished, { force: true });
    makeOwnerOnly(unfinished);
    copyInto(file, unfinished);
    const backup = marked(unfinished, out, wallMs);
    sync(unfinished);
    renameSync(unfinished, out);
    sync(dirname(out));
    return backup;
  } catch (error) {
    for (const end of ['', '-wal', '-shm', '-journal']) rmSync(unfinished + end, { force: true });
    throw explain(error, file);
  }
}

/**
 * Puts a backup in the place of a database that no detector has open. What was there is moved aside with its journal: a
 * journal that stayed would be taken for the backup's own and damage it. Returns where it is now.
 *
 * @throws {StoreError} where the backup is damaged or of another program, or a detector is running; nothing has changed.
 */
export function restoreStore(from: string, named: string, wallMs: number): { readonly aside?: string } {
  if (!existsSync(from)) throw new StoreError('STORE_FAILED', from, 'is not there; name the backup');
  check(from);
  const file = storePlace(named);
  const unlock = lockStore(file);
  const unfinished = `${file}.unfinished`;
  try {
    copyFileSync(from, unfinished, constants.COPYFILE_FICLONE);
    chmodSync(unfinished, 0o600);
    sync(unfinished);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw explain(error, file);
  } finally {
    unlock();
  }
  const aside =
    existsSync(file) || existsSync(`${file}-wal`) ? setAside(file, 'replaced', wallMs) : undefined;
  renameSync(unfinished, file);
  sync(dirname(file));
  return aside === undefined ? {} : { aside };
}

function copyInto(file: string, out: string): void {
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs });
  try {
    if (checkOwner(database, file) === 0)
      throw new StoreError('STORE_FAILED', file, 'is empty: no detector has been started on it');
    // An older file gets what new ones have: room that is purged goes back to the system.
    database.exec('PRAGMA auto_vacuum = INCREMENTAL');
    database.prepare('VACUUM INTO ?').run(out);
  } finally {
    database.close();
  }
}

function marked(file: string, name: string, takenAtMs: number): Backup {
  const database = new DatabaseSync(file);
  try {
    const schema = checkOwner(database, name);
    checkHealth(database, name);
    const mark: BackupMark = { takenAtMs };
    database
      .prepare(
        `INSERT INTO meta (key, value) VALUES ('backup', ?) ON CONFLICT DO UPDATE SET value = excluded.value`,
      )
      .run(JSON.stringify(mark));
    const turns = Number(database.prepare('SELECT count(*) AS n FROM turns').get()?.n);
    return { file: name, bytes: statSync(file).size, turns, schema };
  } finally {
    database.close();
  }
}

function check(file: string): void {
  try {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      if (checkOwner(database, file) === 0) throw new StoreError('STORE_FAILED', file, 'is empty');
      checkHealth(database, file);
    } finally {
      database.close();
    }
  } catch (error) {
    throw asBackup(explain(error, file));
  }
}

function sync(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** What helps a detector with a damaged database does not help here. */
function asBackup(error: StoreError): StoreError {
  if (error.code !== 'STORE_CORRUPT') return error;
  const message = 'is damaged or no database; take another backup. Nothing has changed';
  return new StoreError('STORE_CORRUPT', error.file, message, error);
}
