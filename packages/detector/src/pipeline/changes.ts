import type { Now, Registry } from '@turnwatch/core';
import type { NewDelivery } from '@turnwatch/webhook/send';
import type { AuditEntry } from '../store/stored-audit.ts';
import type { StoredEvent } from '../store/stored-event.ts';
import type { Commit } from '../store/turn-store.ts';

/** Turns that moved, written in one commit at most: some 50 ms. A hundred thousand of them take ten ticks. */
export const sliceTurns = 10_000;

/** How much of what may wait goes along with what may not. */
export interface CommitShare {
  /** Turns that only moved, the longest waiting first, at most. */
  readonly movedTurns: number;
  /** Also processes, paths and clocks (a checkpoint). */
  readonly withRest: boolean;
}

/**
 * What has changed since the last commit. It stays here until the store has taken it: a full disk loses nothing, and
 * what was written twice was written the same.
 */
export class Changes {
  /** Started, ended, judged, or with another horizon: in the next commit. */
  readonly #kept = new Set<string>();
  /** Only moved: written in slices, so that a hundred thousand of them never hold up a start. In order of waiting. */
  readonly #moved = new Set<string>();
  readonly #baselines = new Set<string>();
  readonly #forgotten = new Set<string>();
  readonly #deliveries: NewDelivery[] = [];
  readonly #events: StoredEvent[] = [];
  readonly #audit: AuditEntry[] = [];
  readonly #bootId: string | undefined;
  #urgent = false;

  /** @param bootId which run of the operating system the boot clock is of, where that can be told */
  constructor(bootId?: string) {
    this.#bootId = bootId;
  }

  /** Something is in here that must be kept before anything is acknowledged or told. */
  get urgent(): boolean {
    return this.#urgent;
  }

  /** Turns that moved and are not written. */
  get moved(): number {
    return this.#moved.size;
  }

  /** The turn moved: worth a place in a checkpoint, not a transaction of its own. */
  touch(turn: string): void {
    this.#forgotten.delete(turn);
    if (!this.#kept.has(turn)) this.#moved.add(turn);
  }

  keep(turn: string): void {
    this.#mustWrite(turn);
    this.#urgent = true;
  }

  /** The turn that taught, where it is known, is written together with what it taught: nothing is learned twice. */
  learn(key: string, turn: string | undefined): void {
    this.#baselines.add(key);
    if (turn !== undefined) this.#mustWrite(turn);
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
    this.#kept.delete(turn);
    this.#moved.delete(turn);
    this.#forgotten.add(turn);
  }

  /** The transaction that would take all that must not wait, and a share of the rest. */
  commitOf(registry: Registry, now: Now, sequence: number, share: CommitShare): Commit {
    return {
      turns: [...this.#kept, ...firstOf(this.#moved, share.movedTurns)].flatMap((id) => {
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
      clocks: {
        wallMs: now.wallMs,
        bootMs: now.bootMs,
        ...(this.#bootId === undefined ? {} : { bootId: this.#bootId }),
      },
      sequence,
      ...(this.#urgent ? {} : { lazy: true }),
      ...(share.withRest ? { rest: registry.saveRest(now) } : {}),
    };
  }

  /** The store has taken the commit. */
  clear({ movedTurns }: CommitShare): void {
    for (const id of firstOf(this.#moved, movedTurns)) this.#moved.delete(id);
    this.#kept.clear();
    this.#baselines.clear();
    this.#forgotten.clear();
    this.#deliveries.length = 0;
    this.#events.length = 0;
    this.#audit.length = 0;
    this.#urgent = false;
  }

  #mustWrite(turn: string): void {
    // It may have come back since it was forgotten.
    this.#forgotten.delete(turn);
    this.#moved.delete(turn);
    this.#kept.add(turn);
  }
}

function firstOf(ids: ReadonlySet<string>, count: number): string[] {
  const first: string[] = [];
  for (const id of ids) {
    if (first.length >= count) break;
    first.push(id);
  }
  return first;
}
