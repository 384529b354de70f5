/** Why a store cannot be opened or written. Stable, for scripts and tests. */
export type StoreErrorCode =
  | 'STORE_MISSING_DIRECTORY'
  | 'STORE_NOT_A_FILE'
  /** It has a second name, or is mounted by itself: its journal would get lost. */
  | 'STORE_LINKED'
  | 'STORE_READ_ONLY'
  | 'STORE_CORRUPT'
  | 'STORE_FOREIGN'
  | 'STORE_NEWER'
  | 'STORE_IN_USE'
  /** While it was open: the file was removed, moved or replaced. */
  | 'STORE_GONE'
  | 'STORE_FAILED';

/** Thrown when a store cannot be opened or written; the message names the file and what to do. Nothing was changed. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;
  readonly file: string;

  constructor(code: StoreErrorCode, file: string, message: string, cause?: unknown) {
    super(`${file}: ${message}`, cause === undefined ? {} : { cause });
    this.code = code;
    this.file = file;
  }
}

/** SQLite's primary result codes that an operator can do something about. */
export const SqliteCode = {
  busy: 5,
  readOnly: 8,
  inputOutput: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const;

/** The primary result code of an error of node:sqlite; undefined for every other error. */
export function sqliteCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined;
  return error.errcode & 0xff;
}
