import type { DatabaseSync } from 'node:sqlite';

/**
 * Runs `work` as one transaction: all of it or nothing.
 * @throws what `work` or SQLite threw, after the roll-back.
 */
export function transaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // After some failures (a full disk) SQLite has rolled back already.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/**
 * The same without waiting for the disk: it outlives the process however that dies, and a power cut or a crash of the
 * operating system may take it, back to the last transaction that did wait. Never a part of it.
 */
export function withoutSync<T>(database: DatabaseSync, work: () => T): T {
  database.exec('PRAGMA synchronous = NORMAL');
  try {
    return transaction(database, work);
  } finally {
    database.exec('PRAGMA synchronous = FULL');
  }
}
