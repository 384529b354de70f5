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
  if (format === 'json' || (format === 'auto' && !terminal)) return pino(options, destination(fd));
  const colour = terminal && (process.env.NO_COLOR ?? '') === '';
  return pino(options, { write: (line: string) => void writeSync(fd, prettyLine(line, colour)) });
}
