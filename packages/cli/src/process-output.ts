import type { Output } from './output.ts';

/**
 * What becomes of a command when nobody reads its stdout any more (`turnwatch replay ... | head`).
 * `ends`: its output is all that it is for, and it ends in silence. `works-on`: others need it, whatever becomes of what
 * it prints. `finishes`: it goes on to its exit code, and only a reader that has left is no failure.
 */
export type Unread = 'ends' | 'works-on' | 'finishes';

/** Prints to stdout and stderr of a process. What cannot be printed to stderr is dropped: nobody is left to be told. */
export function processOutput(host: NodeJS.Process, unread: Unread): Output {
  host.stderr.on('error', () => undefined);
  host.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (unread === 'works-on') return;
    if (error.code !== 'EPIPE') throw error;
    if (unread === 'ends') host.exit();
  });
  return {
    out: (text) => void host.stdout.write(text),
    err: (text) => void host.stderr.write(text),
  };
}
