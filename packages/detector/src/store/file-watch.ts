import { statSync } from 'node:fs';
import { StoreError } from './store-error.ts';

/**
 * Notices that the database or its journal was removed, moved or replaced while it is open. The system lets a process go
 * on writing to a file without a name; what is acknowledged then is gone with the process.
 */
export class FileWatch {
  readonly #file: string;
  readonly #known = new Map<string, string>();

  constructor(file: string) {
    this.#file = file;
    this.check();
  }

  /** @throws {StoreError} until the very file is back. */
  check(): void {
    for (const name of [this.#file, `${this.#file}-wal`]) {
      const place = placeOf(name);
      const known = this.#known.get(name);
      if (known === undefined && place !== undefined) this.#known.set(name, place);
      if (known === undefined || known === place) continue;
      throw new StoreError(
        'STORE_GONE',
        name,
        `was ${place === undefined ? 'removed or moved' : 'replaced'} while the detector has it open; nothing is ` +
          'acknowledged, since it would be lost: put the file back, or restart to go on with what is there now',
      );
    }
  }
}

function placeOf(name: string): string | undefined {
  const found = statSync(name, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}
