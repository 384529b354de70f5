import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atExit } from './at-exit.ts';

/** A new folder that does not outlive this process, and what removes it before. */
export function scratchFolder(prefix: string): [folder: string, remove: () => void] {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  // Whoever writes into it may have been killed just now.
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  const callOff = atExit(remove);
  return [
    folder,
    () => {
      callOff();
      remove();
    },
  ];
}
