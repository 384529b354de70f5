import { SqliteCode, StoreError, sqliteCodeOf } from './store-error.ts';

/** What a store that cannot be written needs from a person, in words; for /healthz, the log and the answers of the API. */
export function storeTrouble(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof StoreError) return message;
  switch (sqliteCodeOf(error)) {
    case SqliteCode.full:
      return `${message}; make room, it goes on by itself`;
    case SqliteCode.busy:
      return `${message}; another program holds its lock for long, it goes on by itself when that ends`;
    case SqliteCode.readOnly:
    case SqliteCode.cannotOpen:
      return `${message}; let this user write the file and its directory, it goes on by itself`;
    case SqliteCode.inputOutput:
      return `${message}; look at the disk and the log of the operating system`;
    case SqliteCode.corrupt:
    case SqliteCode.notADatabase:
      return `${message}; stop, restore a backup or start with --replace-corrupt-store`;
    default:
      return message;
  }
}

/** It is the store's, not the request's and not ours: the same request may do later. */
export function isStoreTrouble(error: unknown): error is Error {
  return (
    error instanceof StoreError ||
    sqliteCodeOf(error) !== undefined ||
    (error instanceof Error && error.name === 'StoreUnavailable')
  );
}
