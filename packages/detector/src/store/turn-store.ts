import type { SavedBaseline, SavedRest, SavedTurn } from '@turnwatch/core';
import type { DeliveryError, DeliveryRow, NewDelivery, Outbox } from '@turnwatch/webhook/send';
import type { OwnerChanges, Ownership } from '../access/owners.ts';
import type { DeliveryFilter, DeliveryPosition } from './delivery-filter.ts';
import type { AuditEntry, AuditFilter, StoredAudit } from './stored-audit.ts';
import type { StoredEndpoint } from './stored-endpoint.ts';
import type { EventBounds, EventFilter, StoredEvent } from './stored-event.ts';

// What the detector keeps between two starts. Synchronous, because node:sqlite is, and because a verdict that is half
// written is worse than one that waits a millisecond.

/** Everything that one drain of the queue changed: one transaction, all of it or nothing. */
export interface Commit {
  readonly turns: readonly { readonly id: string; readonly saved: SavedTurn }[];
  readonly baselines: readonly { readonly key: string; readonly saved: SavedBaseline }[];
  /** Rows that exist already (the same event for the same endpoint) are left alone: told once. */
  readonly deliveries: readonly NewDelivery[];
  /** For the feed. An event that is kept already stays as it is. */
  readonly events: readonly StoredEvent[];
  readonly forgottenTurns: readonly string[];
  /** What operators did. */
  readonly audit?: readonly AuditEntry[];
  /** The detector's awake clock: after a restart it goes on from here, so that down time is like sleep. */
  readonly awakeMs: number;
  /** The last sequence number given to an event. */
  readonly sequence: number;
  /** As they stood: after a restart they tell how long the detector was down, and whether the wall clock was set. */
  readonly clocks?: StoredClocks;
  readonly rest?: SavedRest;
  /** Who owns what, where that has changed. */
  readonly owners?: OwnerChanges;
  /** Nothing but activity is in it: it must outlive the process, and need not outlive the operating system. */
  readonly lazy?: boolean;
}

export interface StoredState {
  readonly turns: readonly SavedTurn[];
  readonly baselines: readonly SavedBaseline[];
  readonly rest?: SavedRest;
  readonly awakeMs: number;
  readonly sequence: number;
  readonly owners: readonly Ownership[];
  /** Of the last commit; undefined in a new store, and in one of an older version. */
  readonly clocks?: StoredClocks;
}

export interface StoredClocks {
  readonly wallMs: number;
  readonly bootMs: number;
  /** Which run of the operating system `bootMs` is of; undefined where that cannot be told. */
  readonly bootId?: string;
}

/** One attempt at a delivery, for the operator. */
export interface DeliveryAttempt {
  readonly id: string;
  readonly endpointId: string;
  readonly atMs: number;
  readonly outcome: 'delivered' | 'retry' | 'dead';
  readonly status?: number;
  readonly errorCode?: string;
  readonly errorMessage?: string;
}

export interface TurnStore extends Outbox {
  /** Where the state is: a path, or `memory`. */
  readonly place: string;
  /** Random, made with the store: it tells two detectors apart that carry the same name. */
  readonly detectorId: string;
  load(): StoredState;
  /** @throws when nothing was written: the disk is full, the store is closed, the file is broken. May be tried again. */
  commit(commit: Commit): void;
  /**
   * Drops deliveries that need no more attempts: those queued before the given instant, and the oldest beyond `keep`.
   * Returns how many.
   */
  purgeDeliveries(createdBeforeMs: number, keep: number): number;
  /** Attempts at one event, oldest first. */
  attemptsOf(id: string): readonly DeliveryAttempt[];
  /** Deliveries that fit, the newest event first, from after a position on. */
  deliveries(
    filter: DeliveryFilter,
    after: DeliveryPosition | undefined,
    limit: number,
  ): readonly DeliveryRow[];
  delivery(id: string, endpointId: string): DeliveryRow | undefined;
  /** Events of the feed with a higher sequence that are wanted, oldest first. */
  eventsAfter(sequence: number, filter: EventFilter, limit: number): readonly StoredEvent[];
  eventBounds(): EventBounds;
  /** Drops events made before the given instant, and the oldest beyond `keep`. Returns how many. */
  purgeEvents(createdBeforeMs: number, keep: number): number;
  /** What operators did, the newest first, from before an id on. */
  audit(filter: AuditFilter, before: number | undefined, limit: number): readonly StoredAudit[];
  /** Drops the oldest entries of the audit beyond `keep`, of orders and of the others each ({@link isOrder}). Returns how many. */
  purgeAudit(keep: number): number;
  /** Drops baselines that were last learned from before the given instant, and the longest unused beyond `keep`. */
  purgeBaselines(usedBeforeMs: number, keep: number): readonly string[];
  /** Gives some of the room that was purged back to the system, where the store holds any. Called once a minute. */
  shrink(): void;
  /** Endpoints that were registered by the API, oldest first. */
  endpoints(): readonly StoredEndpoint[];
  saveEndpoint(endpoint: StoredEndpoint): void;
  /** Drops the endpoint and its state; what waits for it becomes dead with this error. Returns how many did. */
  dropEndpoint(id: string, error: DeliveryError): number;
  /** Rows still to be sent, by endpoint. */
  backlog(): ReadonlyMap<string, number>;
  /** Rows that were given up, by endpoint. */
  deadLetters(): ReadonlyMap<string, number>;
  close(): void;
}
