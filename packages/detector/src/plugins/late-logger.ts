import type { Logger } from '../logger.ts';

const maxWaiting = 100;
type Level = keyof Logger;

/** Plugins are made before it is known where the log goes: their first lines wait for it. */
export class LateLogger implements Logger {
  #to: Logger | undefined;
  #waiting: { readonly level: Level; readonly fields: object; readonly message: string }[] = [];

  constructor(to?: Logger) {
    this.#to = to;
  }

  /** From now on lines go there; those that waited go first. */
  bind(to: Logger): void {
    this.#to = to;
    for (const { level, fields, message } of this.#waiting.splice(0)) to[level](fields, message);
  }

  debug(fields: object, message: string): void {
    this.#write('debug', fields, message);
  }

  info(fields: object, message: string): void {
    this.#write('info', fields, message);
  }

  warn(fields: object, message: string): void {
    this.#write('warn', fields, message);
  }

  error(fields: object, message: string): void {
    this.#write('error', fields, message);
  }

  #write(level: Level, fields: object, message: string): void {
    if (this.#to !== undefined) this.#to[level](fields, message);
    else if (this.#waiting.length < maxWaiting) this.#waiting.push({ level, fields, message });
  }
}
