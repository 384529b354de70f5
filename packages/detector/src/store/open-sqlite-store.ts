import type { Logger } from '../logger.ts';
import { setAside } from './set-aside.ts';
import { SqliteStore } from './sqlite-store.ts';
import { StoreError } from './store-error.ts';

export interface OpenOptions {
  readonly logger: Logger;
  /** Move a damaged database aside and make a new one. What it held is lost to this detector, so it is never the default. */
  readonly replaceCorrupt: boolean;
  /** For the name of the file that is moved aside. */
  readonly wallMs: number;
}

/**
 * Opens the detector's database as a service does: an upgrade is logged, and so is a damaged file that was moved aside.
 * @throws {StoreError} with a message for the person who started it.
 */
export function openSqliteStore(file: string, options: OpenOptions): SqliteStore {
  const { logger, wallMs } = options;
  const store = options.replaceCorrupt ? openOrReplace(file, options) : SqliteStore.open(file);
  if (store.migrated !== undefined)
    logger.info(
      { store: store.place, fromSchema: store.migrated.from, copy: store.migrated.copy },
      'the database was upgraded; the copy is the way back, delete it when all is well',
    );
  const mark = store.startFromBackup(wallMs);
  if (mark !== undefined)
    logger.warn(
      { store: store.place, takenAt: new Date(mark.takenAtMs).toISOString() },
      'this is a backup: what happened since it was taken is known again with the next heartbeats',
    );
  return store;
}

function openOrReplace(file: string, { logger, wallMs }: OpenOptions): SqliteStore {
  try {
    return openReadable(file);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'STORE_CORRUPT') throw error;
    const aside = setAside(file, 'corrupt', wallMs);
    logger.error(
      { err: error, aside },
      'the damaged database was moved aside and an empty one is made: turns, events and endpoints registered by the API ' +
        'are lost, turns come back with their next heartbeat',
    );
    return SqliteStore.open(file);
  }
}

/** Also its rows: a page that was overwritten may still look like one. */
function openReadable(file: string): SqliteStore {
  const store = SqliteStore.open(file);
  try {
    store.load();
    return store;
  } catch (error) {
    store.close();
    throw error;
  }
}
