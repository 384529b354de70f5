import type { WebhookEvent } from './events.generated.ts';
import { Recent } from './recent.ts';

type Awaitable<T> = T | Promise<T>;

/**
 * Where accepted events are kept. The default is memory, which is lossy: an event between its 202 and its handler is
 * gone with the process, and after a restart a double can reach the handler again. `fileStore` keeps them on disk; a
 * database of yours does by these three.
 */
export interface EventStore {
  /**
   * Keeps the event; resolves when it is durable, since the 202 is sent then. False: it was accepted before, by this
   * process or another one (a UNIQUE insert), and is a double. A rejection answers 500, and the sender tries again.
   */
  accept(event: WebhookEvent): Awaitable<boolean>;
  /** Its handlers have run without throwing, or it was outdated: it is not run again. The id stays known. */
  handled(id: string): Awaitable<void>;
  /** Accepted and not handled, in the order in which they were accepted: run at the start. */
  unhandled(): Awaitable<readonly WebhookEvent[]>;
}

const maxIds = 10_000;
const maxAgeMs = 24 * 3600 * 1000;

/** Bounded in number and time; lost with the process. */
export class MemoryEventStore implements EventStore {
  readonly #ids: Recent<true>;
  readonly #nowMs: () => number;

  /** @param nowMs wall clock in milliseconds */
  constructor(nowMs: () => number, max: number = maxIds) {
    this.#nowMs = nowMs;
    this.#ids = new Recent(max, maxAgeMs);
  }

  accept({ id }: WebhookEvent): boolean {
    if (this.#ids.get(id, this.#nowMs()) === true) return false;
    this.#ids.set(id, true, this.#nowMs());
    return true;
  }

  handled(): void {
    // Nothing outlives the process, so there is nobody to tell.
  }

  unhandled(): readonly WebhookEvent[] {
    return [];
  }
}
