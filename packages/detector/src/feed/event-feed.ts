import type { Timers } from '../clocks.ts';
import { type EventFilter, isWanted, type StoredEvent } from '../store/stored-event.ts';
import type { TurnStore } from '../store/turn-store.ts';

/** Beyond it nobody more is let to wait: each holds a connection. */
const maxWaiting = 2000;

export interface FeedPage {
  readonly events: readonly StoredEvent[];
  /** Where to go on: what was seen, fitting or not. */
  readonly next: number;
  readonly more: boolean;
}

interface Waiter {
  readonly filter: EventFilter;
  readonly wake: () => void;
}

/** The events that are kept, for those who ask or wait for them. It shows only what is durable. */
export class EventFeed {
  readonly #store: TurnStore;
  readonly #after: Timers['after'];
  readonly #waiters = new Set<Waiter>();
  #closed = false;

  constructor(store: TurnStore, after: Timers['after']) {
    this.#store = store;
    this.#after = after;
  }

  get waiting(): number {
    return this.#waiters.size;
  }

  get full(): boolean {
    return this.#waiters.size >= maxWaiting;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /**
   * The sequence to go on from. Undefined: events after that cursor were dropped, or it is not of this database; then
   * `oldest` has what is kept.
   */
  start(after: number | 'latest' | undefined): {
    readonly oldest: number;
    readonly from: number | undefined;
  } {
    const { droppedThrough, newest } = this.#store.eventBounds();
    if (after === undefined) return { oldest: droppedThrough, from: droppedThrough };
    if (after === 'latest') return { oldest: droppedThrough, from: newest };
    return { oldest: droppedThrough, from: after < droppedThrough || after > newest ? undefined : after };
  }

  page(after: number, filter: EventFilter, limit: number): FeedPage {
    const events = this.#store.eventsAfter(after, filter, limit);
    const last = events.at(-1);
    if (events.length === limit && last !== undefined) return { events, next: last.sequence, more: true };
    return { events, next: Math.max(after, this.#store.eventBounds().newest), more: false };
  }

  /** Resolves when a wanted event was kept, after `ms`, when the signal fires, or when the feed is closed. */
  until(filter: EventFilter, ms: number, signal: AbortSignal): Promise<void> {
    if (this.#closed || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel();
        signal.removeEventListener('abort', wake);
        this.#waiters.delete(waiter);
        resolve();
      };
      const waiter = { filter, wake };
      const cancel = this.#after(ms, wake);
      signal.addEventListener('abort', wake);
      this.#waiters.add(waiter);
    });
  }

  /** These were committed. */
  published(events: readonly StoredEvent[]): void {
    for (const waiter of [...this.#waiters])
      if (events.some((event) => isWanted(event, waiter.filter))) waiter.wake();
  }

  /** Everybody who waits is answered now: the detector stops. */
  close(): void {
    this.#closed = true;
    for (const waiter of [...this.#waiters]) waiter.wake();
  }
}
