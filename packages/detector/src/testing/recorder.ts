import type { Logger } from '../logger.ts';

interface Line {
  readonly level: keyof Logger;
  readonly fields: object;
  readonly message: string;
}

/** A logger that keeps what it is told. */
export class Recorder implements Logger {
  readonly lines: Line[] = [];

  debug(fields: object, message: string): void {
    this.lines.push({ level: 'debug', fields, message });
  }

  info(fields: object, message: string): void {
    this.lines.push({ level: 'info', fields, message });
  }

  warn(fields: object, message: string): void {
    this.lines.push({ level: 'warn', fields, message });
  }

  error(fields: object, message: string): void {
    this.lines.push({ level: 'error', fields, message });
  }
}
