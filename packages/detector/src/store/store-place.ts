import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreError } from './store-error.ts';

/**
 * Where the database really is, by its own name: through a link a second detector would find another lock, and SQLite
 * another journal.
 *
 * @throws {StoreError} where no database can be, or where SQLite's journal beside it would not be found again.
 */
export function storePlace(named: string): string {
  const directory = statSync(dirname(named), { throwIfNoEntry: false });
  if (directory === undefined || !directory.isDirectory())
    throw new StoreError(
      'STORE_MISSING_DIRECTORY',
      named,
      `there is no directory ${dirname(named)}; make it, or set detector.store.file to a path in one that exists`,
    );
  const place = statSync(named, { throwIfNoEntry: false });
  if (place === undefined) return named;
  if (!place.isFile())
    throw new StoreError(
      'STORE_NOT_A_FILE',
      named,
      'is not a file; set detector.store.file to the path of a file',
    );
  if (place.nlink > 1)
    throw new StoreError(
      'STORE_LINKED',
      named,
      `has ${place.nlink} names (hard links): each would get a journal and a lock of its own, and the database would be ` +
        `damaged; find the others with: find DIR -samefile ${named} - and remove them, or use a copy (cp) in its place`,
    );
  const file = realpathSync(named);
  if (isMountPoint(file))
    throw new StoreError(
      'STORE_LINKED',
      named,
      'is a mount by itself: its journal would stay behind in the container and what it holds be lost; mount the ' +
        'directory that holds it',
    );
  return file;
}

/** A single file that is mounted into a container (Linux; elsewhere it cannot be told). */
function isMountPoint(file: string): boolean {
  const mounts = '/proc/self/mountinfo';
  if (!existsSync(mounts)) return false;
  return readFileSync(mounts, 'utf8')
    .split('\n')
    .some((line) => unescaped(line.split(' ')[4] ?? '') === file);
}

/** The kernel writes spaces and the like as three octal digits. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
