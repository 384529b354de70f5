import {
  type AttemptResult,
  type BurySelection,
  type DeliveryRow,
  type EndpointState,
  type Outbox,
  supersedes,
} from './outbox.ts';

/** What a new row is made of; the rest follows. */
export type NewDelivery = Pick<
  DeliveryRow,
  'id' | 'endpointId' | 'sequence' | 'type' | 'turnId' | 'body' | 'createdAtMs'
>;

/** A new row as it is first written: pending, due at once. */
export function newDeliveryRow(from: NewDelivery): DeliveryRow {
  return { ...from, attempts: 0, nextAttemptAtMs: from.createdAtMs, state: 'pending' };
}

/** The in-memory twin of the detector's SQLite outbox: for tests and the embedded detector. Lost with the process. */
export class MemoryOutbox implements Outbox {
  readonly #rows = new Map<string, DeliveryRow>();
  readonly #pendingByEndpoint = new Map<string, Map<string, DeliveryRow>>();
  readonly #settled = new Set<string>();
  readonly #states = new Map<string, EndpointState>();
  readonly #keepSettled: number;

  /** @param options `keepSettled`: this many rows that are not pending are kept, the oldest go first. Default 10,000. */
  constructor(options: { readonly keepSettled?: number } = {}) {
    this.#keepSettled = options.keepSettled ?? 10_000;
  }

  /** False: the row (same event, same endpoint) is there already, and stays as it is. */
  add(from: NewDelivery): boolean {
    if (this.#rows.has(keyOf(from.id, from.endpointId))) return false;
    this.#put(newDeliveryRow(from));
    return true;
  }

  get(id: string, endpointId: string): DeliveryRow | undefined {
    return this.#rows.get(keyOf(id, endpointId));
  }

  rows(): readonly DeliveryRow[] {
    return [...this.#rows.values()];
  }

  due(endpointId: string, nowMs: number, limit: number): readonly DeliveryRow[] {
    return this.#pending(endpointId)
      .filter((row) => row.nextAttemptAtMs <= nowMs)
      .sort((a, b) => Number(a.attempts > 0) - Number(b.attempts > 0) || a.sequence - b.sequence)
      .slice(0, limit);
  }

  newest(endpointId: string): DeliveryRow | undefined {
    return this.#pending(endpointId).sort((a, b) => b.sequence - a.sequence)[0];
  }

  attempted(row: DeliveryRow, result: AttemptResult): { readonly superseded: number } {
    const kept = this.get(row.id, row.endpointId);
    if (kept === undefined || (kept.state !== 'pending' && result.outcome !== 'delivered'))
      return { superseded: 0 };
    const attempts = kept.attempts + 1;
    if (result.outcome === 'retry') {
      this.#put({ ...kept, attempts, nextAttemptAtMs: result.nextAttemptAtMs, lastError: result.error });
      return { superseded: 0 };
    }
    if (result.outcome === 'dead') {
      this.#put({ ...kept, attempts, state: 'dead', lastError: result.error });
      return { superseded: 0 };
    }
    this.#put({ ...kept, attempts, state: 'delivered' });
    const overtaken = this.#pending(row.endpointId).filter((older) => supersedes(kept, older));
    for (const older of overtaken) this.#put({ ...older, state: 'superseded', supersededBy: row.id });
    return { superseded: overtaken.length };
  }

  bury({ endpointId, createdUntilMs, error }: BurySelection): number {
    const rows = this.#pending(endpointId).filter((row) => row.createdAtMs <= createdUntilMs);
    for (const row of rows) this.#put({ ...row, state: 'dead', lastError: row.lastError ?? error });
    return rows.length;
  }

  release(endpointId: string, nowMs: number): void {
    for (const row of this.#pending(endpointId)) {
      this.#put({ ...row, nextAttemptAtMs: Math.min(row.nextAttemptAtMs, nowMs) });
    }
  }

  replay(id: string, endpointId: string, nowMs: number): boolean {
    const row = this.get(id, endpointId);
    if (row === undefined) return false;
    const { supersededBy: _, ...again } = row;
    this.#put({ ...again, state: 'pending', attempts: 0, createdAtMs: nowMs, nextAttemptAtMs: nowMs });
    return true;
  }

  endpointStates(): readonly EndpointState[] {
    return [...this.#states.values()];
  }

  saveEndpointState(state: EndpointState): void {
    this.#states.set(state.endpointId, state);
  }

  #pending(endpointId: string | undefined): DeliveryRow[] {
    if (endpointId !== undefined) return [...(this.#pendingByEndpoint.get(endpointId)?.values() ?? [])];
    return [...this.#pendingByEndpoint.values()].flatMap((rows) => [...rows.values()]);
  }

  #put(row: DeliveryRow): void {
    const key = keyOf(row.id, row.endpointId);
    this.#rows.set(key, row);
    const pending = this.#pendingByEndpoint.get(row.endpointId) ?? new Map<string, DeliveryRow>();
    this.#pendingByEndpoint.set(row.endpointId, pending);
    if (row.state === 'pending') {
      pending.set(row.id, row);
      this.#settled.delete(key);
      return;
    }
    pending.delete(row.id);
    this.#settled.add(key);
    for (const oldest of this.#settled) {
      if (this.#settled.size <= this.#keepSettled) break;
      this.#settled.delete(oldest);
      this.#rows.delete(oldest);
    }
  }
}

function keyOf(id: string, endpointId: string): string {
  return `${endpointId}\n${id}`;
}
