import type { EventStore } from './event-store.ts';
import { isWebhookEvent, type WebhookEvent } from './events.generated.ts';
import { FileLog } from './file-log.ts';

export interface FileStoreOptions {
  /** Ids, and events that were never handled, are forgotten after this. Default seven days. */
  readonly keepMs?: number;
  /** So many ids of handled events are remembered at most, the newest. Default 100,000. */
  readonly maxIds?: number;
  /** The file is written anew when so many lines more than needed are in it. Default 2,000. */
  readonly compactAfter?: number;
  /** Wall clock in milliseconds. Default `Date.now`. */
  readonly nowMs?: () => number;
  /** The file could not be written anew; it goes on growing, and it is tried again. Default: console.error. */
  readonly onError?: (error: unknown) => void;
}

export interface FileStore extends EventStore {
  /** Waits for what is being written. */
  close(): Promise<void>;
}

/**
 * Events in a file of JSON lines, each on the disk (fsync) before it is acknowledged: `kill -9` and a power cut lose
 * nothing that was answered 202. For one process; another one needs a file of its own.
 * @throws Error where the file cannot be opened, or is no event store.
 */
export function fileStore(path: string, options: FileStoreOptions = {}): FileStore {
  return new JsonLinesStore(path, options);
}

const dayMs = 24 * 3600 * 1000;

interface Accepted {
  readonly event: WebhookEvent;
  readonly atMs: number;
}

class JsonLinesStore implements FileStore {
  readonly #log: FileLog;
  readonly #open = new Map<string, Accepted>();
  /** On their way to the disk: a double that comes meanwhile has the same outcome. */
  readonly #accepting = new Map<string, Promise<void>>();
  /** Ids of handled events by when that was. */
  readonly #done = new Map<string, number>();
  readonly #options: FileStoreOptions;
  readonly #nowMs: () => number;
  #lines = 0;
  #compacting = false;

  constructor(path: string, options: FileStoreOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? Date.now;
    this.#log = FileLog.open(path, (line) => this.#read(line));
    this.#forget();
  }

  async accept(event: WebhookEvent): Promise<boolean> {
    await this.#accepting.get(event.id);
    if (this.#open.has(event.id) || this.#done.has(event.id)) return false;
    const accepted = { event, atMs: this.#nowMs() };
    // In memory first, so that a file that is written anew meanwhile has it.
    this.#open.set(event.id, accepted);
    const appended = this.#append(acceptedLine(accepted));
    this.#accepting.set(event.id, appended);
    try {
      await appended;
    } catch (error) {
      this.#open.delete(event.id);
      throw error;
    } finally {
      this.#accepting.delete(event.id);
    }
    return true;
  }

  async handled(id: string): Promise<void> {
    const accepted = this.#open.get(id);
    const atMs = this.#nowMs();
    this.#open.delete(id);
    this.#done.set(id, atMs);
    try {
      await this.#append(handledLine(id, atMs));
    } catch (error) {
      this.#done.delete(id);
      if (accepted !== undefined) this.#open.set(id, accepted);
      throw error;
    }
    this.#compact();
  }

  unhandled(): readonly WebhookEvent[] {
    return [...this.#open.values()].map(({ event }) => event);
  }

  async close(): Promise<void> {
    await this.#log.close();
  }

  async #append(line: string): Promise<void> {
    await this.#log.append(line);
    this.#lines++;
  }

  #read(line: string): boolean {
    const entry = parse(line);
    if (entry === undefined) return false;
    this.#lines++;
    if ('accepted' in entry) {
      const { accepted: event, atMs } = entry;
      if (!this.#done.has(event.id)) this.#open.set(event.id, { event, atMs });
      return true;
    }
    this.#open.delete(entry.handled);
    this.#done.set(entry.handled, entry.atMs);
    return true;
  }

  #forget(): void {
    const oldestMs = this.#nowMs() - (this.#options.keepMs ?? 7 * dayMs);
    for (const [id, { atMs }] of this.#open) if (atMs < oldestMs) this.#open.delete(id);
    const tooMany = this.#done.size - (this.#options.maxIds ?? 100_000);
    let place = 0;
    for (const [id, atMs] of this.#done) if (place++ < tooMany || atMs < oldestMs) this.#done.delete(id);
  }

  #compact(): void {
    const needed = this.#open.size + this.#done.size;
    if (this.#compacting || this.#lines - needed < (this.#options.compactAfter ?? 2000)) return;
    this.#compacting = true;
    this.#log
      .rewrite(() => this.#needed())
      .catch((error: unknown) => {
        // Not with the next event again, but when as many lines have come once more.
        this.#lines = needed;
        (this.#options.onError ?? logError)(error);
      })
      .finally(() => {
        this.#compacting = false;
      });
  }

  #needed(): readonly string[] {
    this.#forget();
    const lines = [
      ...[...this.#done].map(([id, atMs]) => handledLine(id, atMs)),
      ...[...this.#open.values()].map(acceptedLine),
    ];
    this.#lines = lines.length;
    return lines;
  }
}

function acceptedLine({ event, atMs }: Accepted): string {
  return JSON.stringify({ accepted: event, atMs });
}

function handledLine(id: string, atMs: number): string {
  return JSON.stringify({ handled: id, atMs });
}

type Entry =
  | { readonly accepted: WebhookEvent; readonly atMs: number }
  | { readonly handled: string; readonly atMs: number };

function parse(line: string): Entry | undefined {
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch {
    // Half a line: the caller knows what to do with it.
    return undefined;
  }
  if (typeof entry !== 'object' || entry === null || !('atMs' in entry) || typeof entry.atMs !== 'number')
    return undefined;
  const { atMs } = entry;
  if ('accepted' in entry && isWebhookEvent(entry.accepted)) return { accepted: entry.accepted, atMs };
  if ('handled' in entry && typeof entry.handled === 'string') return { handled: entry.handled, atMs };
  return undefined;
}

function logError(error: unknown): void {
  console.error('turnwatch: the event store could not be written anew:', error);
}
