import type { WebhookEvent } from './events.generated.ts';
import { Recent } from './recent.ts';

type Awaitable<T> = T | Promise<T>;

/**
 * Where ids of accepted events are remembered. The default is memory (10,000 ids, 24 h): after a restart of the parent a
 * double can reach the handler again, and an event between its 202 and its handler is lost. Hand over a store to prevent it.
 */
export interface EventStore {
  /** True when the event was accepted before. */
  has(id: string): Awaitable<boolean>;
  /**
   * Remembers the event; resolves when it is durable, since the 202 is sent then. False: another process was first (a
   * UNIQUE insert), the event is a double. A rejection answers 500, and the sender tries again.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a store that keeps no other process apart returns nothing
  add(id: string, event: WebhookEvent): Awaitable<boolean | void>;
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

  has(id: string): boolean {
    return this.#ids.get(id, this.#nowMs()) === true;
  }

  add(id: string): void {
    this.#ids.set(id, true, this.#nowMs());
  }
}
