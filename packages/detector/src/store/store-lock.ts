import { DatabaseSync } from 'node:sqlite';
import { SqliteCode, StoreError, sqliteCodeOf } from './store-error.ts';

/**
 * An operating system lock of its own, gone with the process however it dies: two detectors would tell everything twice.
 * Returns what gives it free.
 * @throws {StoreError} where another detector has it.
 */
export function lockStore(file: string): () => void {
  const guard = new DatabaseSync(`${file}.lock`, { timeout: 0 });
  try {
    // Nothing is ever written to it: a lock must be had on a full disk too.
    guard.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
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
