// What the sender needs of a store. The detector keeps it in SQLite, in the transaction of the verdict; MemoryOutbox is
// its in-memory twin. All of it is synchronous, because node:sqlite is, and each method is one transaction.

export type DeliveryState = 'pending' | 'delivered' | 'dead' | 'superseded';

/** One event for one endpoint. (`id`, `endpointId`) is unique: a verdict committed twice is one row and one POST. */
export interface DeliveryRow {
  /** The event's id (`evt_...`), the same in every attempt. */
  readonly id: string;
  readonly endpointId: string;
  /** The document's `sequence` as a number: later events have higher ones. */
  readonly sequence: number;
  /** `turn.stale`, `turn.expired`, ... */
  readonly type: string;
  /** Null where the event is about no turn (`source.silent`, `webhook.test`). */
  readonly turnId: string | null;
  /** The document's bytes, frozen when the row is written: a retry never serialises again. */
  readonly body: string;
  /** Wall clock. When the row was queued; `replay` sets it anew, since the 24 h of the delivery count from here. */
  readonly createdAtMs: number;
  /** Attempts made since `createdAtMs`. */
  readonly attempts: number;
  /** Wall clock. A new row has `createdAtMs` here. */
  readonly nextAttemptAtMs: number;
  readonly state: DeliveryState;
  /** Why the last attempt failed, or why the row is dead. */
  readonly lastError?: DeliveryError;
  /** Where the state is `superseded`: the id of the newer event of the turn that was delivered. */
  readonly supersededBy?: string;
}

/** Text for the operator's delivery log. It never holds a secret or a signature. */
export interface DeliveryError {
  /** Stable: see FailureCode in failure.ts. */
  readonly code: string;
  /** The answer's status where there was one. */
  readonly status?: number;
  /** What happened and how to mend it; at most 512 characters. */
  readonly message: string;
}

/** What one attempt came to, and what becomes of the row. */
export type AttemptResult =
  | { readonly outcome: 'delivered'; readonly atMs: number; readonly status: number }
  | {
      readonly outcome: 'retry';
      readonly atMs: number;
      readonly nextAttemptAtMs: number;
      readonly error: DeliveryError;
    }
  | { readonly outcome: 'dead'; readonly atMs: number; readonly error: DeliveryError };

/** How an endpoint stands. Kept in the store, so that a restart neither wakes a disabled one nor forgets a pause. */
export interface EndpointState {
  readonly endpointId: string;
  /** `paused`: fails for long; its queue is kept and probed. `disabled`: it answered 410; only an operator enables it. */
  readonly status: 'active' | 'paused' | 'disabled';
  /** Wall clock of the first failure since the last success; null: the last attempt succeeded. */
  readonly failingSinceMs: number | null;
  readonly changedAtMs: number;
  readonly lastError?: DeliveryError;
}

export interface Outbox {
  /**
   * At most `limit` pending rows of the endpoint whose `nextAttemptAtMs <= nowMs`: rows never attempted first (no
   * verdict waits behind a retry), then by `sequence`. Does not claim them: the sender knows what it has in flight.
   */
  due(endpointId: string, nowMs: number, limit: number): readonly DeliveryRow[];

  /** The pending row of the endpoint with the highest `sequence`, due or not: the probe of a paused endpoint. */
  newest(endpointId: string): DeliveryRow | undefined;

  /**
   * Writes what an attempt came to and counts it (`attempts + 1`):
   * `delivered` and `dead` set the state; `retry` keeps it pending and sets `nextAttemptAtMs`; the error is kept in
   * `lastError`. With `delivered`, every other pending row of the same endpoint and turn that `supersedes` says is
   * overtaken becomes `superseded`, with `supersededBy`, in the same transaction. Only a pending row is changed (a row that was replayed or
   * buried meanwhile stays as it is, except that `delivered` always wins). Returns how many were superseded.
   */
  attempted(row: DeliveryRow, result: AttemptResult): { readonly superseded: number };

  /**
   * Makes pending rows dead without an attempt: those created at or before `createdUntilMs`, of one endpoint where
   * `endpointId` is given. `error` is written to those that have no `lastError` yet. Returns how many.
   */
  bury(selection: BurySelection): number;

  /** Makes every pending row of the endpoint due at `nowMs` at the latest: it answers again. Keeps `attempts`. */
  release(endpointId: string, nowMs: number): void;

  /**
   * Sends a row once more by an operator's wish, whatever its state: pending, `attempts` 0, `createdAtMs` and
   * `nextAttemptAtMs` = `nowMs`, the same id and bytes. False: there is no such row.
   */
  replay(id: string, endpointId: string, nowMs: number): boolean;

  /** All kept states. An endpoint without one is active. */
  endpointStates(): readonly EndpointState[];

  /** Inserts or replaces the state of one endpoint. */
  saveEndpointState(state: EndpointState): void;
}

export interface BurySelection {
  readonly endpointId?: string;
  readonly createdUntilMs: number;
  readonly error: DeliveryError;
}

/**
 * Types that tell the state of a turn, so that a newer one makes an older one worthless. `request.expired` is not one:
 * it is about one request, and must neither swallow nor be swallowed by what is said about the turn.
 */
export const turnStateTypes: readonly string[] = [
  'turn.suspect',
  'turn.stale',
  'turn.recovered',
  'turn.expired',
];

/** True when delivering `newer` makes the pending row `older` worthless: same endpoint and turn, lower sequence. */
export function supersedes(newer: DeliveryRow, older: DeliveryRow): boolean {
  return (
    newer.endpointId === older.endpointId &&
    newer.turnId !== null &&
    newer.turnId === older.turnId &&
    older.sequence < newer.sequence &&
    turnStateTypes.includes(newer.type) &&
    turnStateTypes.includes(older.type)
  );
}
