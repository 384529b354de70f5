import { chmodSync, copyFileSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { backupStore, restoreStore } from './backup-store.ts';
import { migrations } from './migrations.ts';
import { SqliteStore } from './sqlite-store.ts';

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'turnwatch-rights-'));
  file = join(directory, 'main.db');
});
afterEach(() => rmSync(directory, { recursive: true }));

const rights = (path: string): string => (statSync(path).mode & 0o777).toString(8);
/** Of the database and everything beside it but the lock, in which nothing is ever written. */
const all = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(directory)
      .filter((name) => !name.endsWith('.lock'))
      .map((name) => [name, rights(join(directory, name))]),
  );

describe.skipIf(process.platform === 'win32')('a database holds secrets and is for its owner only', () => {
  test('from the first moment, with its journal', () => {
    const store = SqliteStore.open(file);
    expect(all()).toEqual({ 'main.db': '600', 'main.db-shm': '600', 'main.db-wal': '600' });
    store.close();
  });

  test('also where it was made readable, with the journal of a crash', () => {
    SqliteStore.open(file).close();
    chmodSync(file, 0o644);
    const other = new DatabaseSync(file);
    other.exec(`PRAGMA journal_mode = WAL; INSERT INTO meta (key, value) VALUES ('x', '1')`);
    expect(all()).toEqual({ 'main.db': '644', 'main.db-shm': '644', 'main.db-wal': '644' });
    const store = SqliteStore.open(file);
    expect(all()).toEqual({ 'main.db': '600', 'main.db-shm': '600', 'main.db-wal': '600' });
    store.close();
    other.close();
  });

  test('nothing is added: a file that nobody may read stays so for the others', () => {
    SqliteStore.open(file).close();
    chmodSync(file, 0o700);
    SqliteStore.open(file).close();
    expect(rights(file)).toBe('700');
  });

  test('the copy before an upgrade', () => {
    const old = new DatabaseSync(file);
    old.exec(`${migrations[0]}; PRAGMA application_id = ${0x54_57_43_48}; PRAGMA user_version = 1`);
    old.close();
    SqliteStore.open(file).close();
    expect(all()).toEqual({ 'main.db': '600', [`main.db.before-schema-${migrations.length}`]: '600' });
  });

  test('what a restore moves aside, with its journal', () => {
    SqliteStore.open(file).close();
    const out = join(directory, 'backup.db');
    backupStore(file, out, 0);
    copyFileSync(out, `${file}-wal`);
    chmodSync(file, 0o644);
    chmodSync(`${file}-wal`, 0o644);
    const { aside = '' } = restoreStore(out, file, 0);
    expect([rights(file), rights(aside), rights(`${aside}-wal`)]).toEqual(['600', '600', '600']);
  });
});
