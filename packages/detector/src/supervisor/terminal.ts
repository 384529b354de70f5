import { closeSync, openSync } from 'node:fs';

/** Whether this process has a terminal that it can be stopped from. After a hang-up it has none any more. */
export function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch (error) {
    // ENXIO, EIO: no terminal, or it is gone. ENOENT: a system without.
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}
