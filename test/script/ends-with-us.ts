import type { ChildProcess } from 'node:child_process';
import { atExit } from './at-exit.ts';

/**
 * A program that does not outlive this process, also where it stands still.
 * @param isGroup whether it was started detached: then what it has started goes with it
 */
export function endsWithUs<T extends ChildProcess>(child: T, isGroup = false): T {
  const callOff = atExit(() => {
    const { pid } = child;
    if (pid === undefined) return;
    try {
      process.kill(isGroup ? -pid : pid, 'SIGKILL');
    } catch (error) {
      // It has ended by itself, and that has not been heard of yet.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  });
  child.once('close', callOff);
  return child;
}
