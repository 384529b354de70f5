import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { destination, type Level, pino } from 'pino';
import type { DetectorConfig } from '../config/shape.ts';
import type { Logger } from '../logger.ts';
import { prettyLine } from './pretty-line.ts';

/** A logger whose level can be changed while running. */
export interface LeveledLogger extends Logger {
  level: string;
}

/** Of the log, while it cannot be written. */
const maxWaitingChars = 1024 * 1024;
/** How often what waits is tried, also where there is nothing else to say. */
const retryMs = 200;

/**
 * The log of a detector: JSON lines, or lines for people where it goes to a terminal.
 * @param fd 1 for stdout, 2 for stderr
 */
export function detectorLog({ level, format }: DetectorConfig['log'], fd: 1 | 2): LeveledLogger {
  const options = {
    name: 'turnwatch',
    level: level satisfies Level | 'silent',
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const terminal = isatty(fd);
  if (format === 'json' || (format === 'auto' && !terminal)) return pino(options, patientDestination(fd));
  const colour = terminal && (process.env.NO_COLOR ?? '') === '';
  return pino(options, {
    write(line: string) {
      try {
        writeSync(fd, prettyLine(line, colour));
      } catch {
        // As of JSON lines: a terminal that is gone, or a reader, ends no detector, and nobody is left to be told.
      }
    },
  });
}

/**
 * A full disk, or a pipe whose reader has left or stands still, neither ends nor holds up a detector: what cannot wait in
 * memory is dropped.
 */
function patientDestination(fd: 1 | 2): ReturnType<typeof destination> {
  const stream = destination({
    dest: fd,
    sync: true,
    maxLength: maxWaitingChars,
    // Else it sleeps until the reader goes on, and the detector with it.
    retryEAGAIN: () => false,
  });
  // In the place of pino's own listener, which passes by a reader that has left, and ends the process at all else.
  stream.removeAllListeners('error');
  let retry: NodeJS.Timeout | undefined;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || retry !== undefined) return;
    retry = setTimeout(() => {
      retry = undefined;
      stream.write('');
    }, retryMs).unref();
  });
  return stream;
}
