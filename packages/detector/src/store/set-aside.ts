import { existsSync, renameSync } from 'node:fs';
import { keepOwnerOnly } from './owner-only.ts';
import { lockStore } from './store-lock.ts';
import { storePlace } from './store-place.ts';

/**
 * Moves a database and its journal out of the way, so that another can take its place. Returns where it is now:
 * `<file>.<why>-<time>`.
 *
 * @throws {StoreError} where a detector has it open.
 */
export function setAside(named: string, why: 'corrupt' | 'replaced', wallMs: number): string {
  const file = storePlace(named);
  const unlock = lockStore(file);
  try {
    const stamp = new Date(wallMs).toISOString().replace(/[:.]/g, '-');
    const aside = `${file}.${why}-${stamp}`;
    // The journal first: a new database beside the old journal would take it for its own.
    for (const end of ['-wal', '-shm', '']) if (existsSync(file + end)) renameSync(file + end, aside + end);
    keepOwnerOnly(aside);
    return aside;
  } finally {
    unlock();
  }
}
