import type { Now, Registry } from '@turnwatch/core';
import type { NewDelivery } from '@turnwatch/webhook/send';
import type { AuditEntry } from '../store/stored-audit.ts';
import type { StoredEvent } from '../store/stored-event.ts';
import type { Commit } from '../store/turn-store.ts';

/**
 * What has changed since the last commit. It stays here until the store has taken it: a full disk loses nothing, and
 * what was written twice was written the same.
 */
export class Changes {
  readonly #turns = new Set<string>();
  readonly #baselines = new Set<string>();
  readonly #forgotten = new Set<string>();
  readonly #deliveries: NewDelivery[] = [];
  readonly #events: StoredEvent[] = [];
  readonly #audit: AuditEntry[] = [];
  #urgent = false;

  /** Something is in here that must be kept before anything is acknowledged or told. */
  get urgent(): boolean {
    return this.#urgent;
  }

  get empty(): boolean {
    return !this.#urgent && this.#turns.size + this.#baselines.size + this.#forgotten.size === 0;
  }

  /** The turn moved: worth a place in the next checkpoint, not a transaction of its own. */
  touch(turn: string): void {
    this.#turns.add(turn);
  }

  keep(turn: string): void {
    this.#turns.add(turn);
    this.#urgent = true;
  }

  learn(key: string): void {
    this.#baselines.add(key);
  }

  deliver(delivery: NewDelivery): void {
    this.#deliveries.push(delivery);
    this.#urgent = true;
  }

  publish(event: StoredEvent): void {
    this.#events.push(event);
    this.#urgent = true;
  }

  audit(entry: AuditEntry): void {
    this.#audit.push(entry);
    this.#urgent = true;
  }

  forget(turn: string): void {
    this.#turns.delete(turn);
    this.#forgotten.add(turn);
  }

  /** The transaction that would take all of it. `withRest`: also processes, paths and clocks (a checkpoint). */
  commitOf(registry: Registry, now: Now, sequence: number, withRest: boolean): Commit {
    return {
      turns: [...this.#turns].flatMap((id) => {
        const saved = registry.saveTurn(id);
        return saved === undefined ? [] : [{ id, saved }];
      }),
      baselines: [...this.#baselines].flatMap((key) => {
        const saved = registry.saveBaseline(key);
        return saved === undefined ? [] : [{ key, saved }];
      }),
      deliveries: [...this.#deliveries],
      events: [...this.#events],
      forgottenTurns: [...this.#forgotten],
      audit: [...this.#audit],
      awakeMs: now.awakeMs,
      sequence,
      ...(withRest ? { rest: registry.saveRest(now) } : {}),
    };
  }

  /** The store has them. */
  clear(): void {
    this.#turns.clear();
    this.#baselines.clear();
    this.#forgotten.clear();
    this.#deliveries.length = 0;
    this.#events.length = 0;
    this.#audit.length = 0;
    this.#urgent = false;
  }
}
