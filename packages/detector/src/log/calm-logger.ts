import type { Logger } from '../logger.ts';

/** The same complaint is written once in this time; how often it came meanwhile is said with the next. */
const windowMs = 60_000;
/** Complaints of all kinds in one window. What is beyond is counted only. */
const maxComplaints = 600;
const maxKinds = 1000;

interface Kind {
  writtenMs: number;
  repeated: number;
  readonly write: (repeated: number) => void;
}

/** Warnings and errors that come again and again do not fill a disk. Everything else passes. */
export class CalmLogger implements Logger {
  readonly #logger: Logger;
  readonly #monoMs: () => number;
  readonly #kinds = new Map<string, Kind>();
  #windowSinceMs: number;
  #written = 0;
  #leftOut = 0;

  constructor(logger: Logger, monoMs: () => number) {
    this.#logger = logger;
    this.#monoMs = monoMs;
    this.#windowSinceMs = monoMs();
  }

  debug(fields: object, message: string): void {
    this.#logger.debug(fields, message);
  }

  info(fields: object, message: string): void {
    this.#logger.info(fields, message);
  }

  warn(fields: object, message: string): void {
    this.#complain('warn', fields, message);
  }

  error(fields: object, message: string): void {
    this.#complain('error', fields, message);
  }

  /** Says what was kept back, at the end. */
  flush(): void {
    for (const kind of this.#kinds.values()) if (kind.repeated > 0) kind.write(kind.repeated);
    this.#kinds.clear();
    this.#sayLeftOut();
  }

  #complain(level: 'warn' | 'error', fields: object, message: string): void {
    const nowMs = this.#monoMs();
    if (nowMs - this.#windowSinceMs >= windowMs) {
      this.#windowSinceMs = nowMs;
      this.#written = 0;
      this.#sayLeftOut();
    }
    const key = kindOf(level, fields, message);
    const kind = this.#kinds.get(key);
    if (kind !== undefined && nowMs - kind.writtenMs < windowMs) {
      kind.repeated++;
      return;
    }
    if (this.#written >= maxComplaints) {
      this.#leftOut++;
      return;
    }
    this.#written++;
    const write = (repeated: number): void =>
      this.#logger[level](repeated === 0 ? fields : { ...fields, repeated }, message);
    write(kind?.repeated ?? 0);
    this.#kinds.delete(key);
    this.#kinds.set(key, { writtenMs: nowMs, repeated: 0, write });
    for (const oldest of this.#kinds.keys()) {
      if (this.#kinds.size <= maxKinds) break;
      this.#kinds.delete(oldest);
    }
  }

  #sayLeftOut(): void {
    if (this.#leftOut > 0)
      this.#logger.warn({ leftOut: this.#leftOut }, 'too many different complaints: some were not written');
    this.#leftOut = 0;
  }
}

/** What makes two complaints the same: not the event or attempt they are about, but whom, and why. */
function kindOf(level: string, fields: object, message: string): string {
  const { endpoint, path, key, code, type, err } = fields as Readonly<Record<string, unknown>>;
  const why = err instanceof Error ? `${err.name} ${err.message.slice(0, 200)}` : '';
  return JSON.stringify([level, message, endpoint, path, key, code, type, why]);
}
