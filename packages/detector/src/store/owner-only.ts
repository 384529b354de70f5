import { chmodSync, closeSync, openSync, statSync } from 'node:fs';

/** Makes an empty file that its owner alone can read: an endpoint's secret is in a database. SQLite takes it as a new one. */
export function makeOwnerOnly(file: string): void {
  closeSync(openSync(file, 'wx', 0o600));
}

/** Takes the rights of group and others away from a database and its journal, as an older version or a copy left them. */
export function keepOwnerOnly(file: string): void {
  for (const part of [file, `${file}-wal`, `${file}-shm`]) {
    const stat = statSync(part, { throwIfNoEntry: false });
    // Another owner has arranged for this user to write it, and is not ours to overrule.
    if (stat === undefined || stat.uid !== process.getuid?.() || (stat.mode & 0o077) === 0) continue;
    try {
      chmodSync(part, stat.mode & 0o700);
    } catch (error) {
      // A file system without rights (FAT, some network shares): no reason not to judge.
      if (!cannot.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
}

const cannot: ReadonlySet<string> = new Set(['EPERM', 'EROFS', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);
