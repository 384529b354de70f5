import { randomBytes } from 'node:crypto';
import type { SavedBaseline, SavedTurn } from '@turnwatch/core';
import {
  type AttemptResult,
  type BurySelection,
  type DeliveryError,
  type DeliveryRow,
  type DeliveryState,
  type EndpointState,
  supersedes,
} from '@turnwatch/webhook/send';
import type { Ownership } from '../access/owners.ts';
import { type DeliveryFilter, type DeliveryPosition, newestDeliveryFirst } from './delivery-filter.ts';
import { type AuditFilter, isOrder, type StoredAudit } from './stored-audit.ts';
import type { StoredEndpoint } from './stored-endpoint.ts';
import { type EventBounds, type EventFilter, isWanted, type StoredEvent } from './stored-event.ts';
import type { Commit, DeliveryAttempt, StoredState, TurnStore } from './turn-store.ts';

/** The twin of SqliteStore that keeps nothing: for tests, and for `store: memory`. Lost with the process. */
export class MemoryStore implements TurnStore {
  readonly place = 'memory';
  readonly detectorId: string = `det_${randomBytes(10).toString('hex')}`;
  readonly #turns = new Map<string, SavedTurn>();
  readonly #baselines = new Map<string, { readonly saved: SavedBaseline; readonly usedAtMs: number }>();
  readonly #owners = new Map<string, Ownership>();
  readonly #rows = new Map<string, DeliveryRow>();
  readonly #states = new Map<string, EndpointState>();
  readonly #endpoints = new Map<string, StoredEndpoint>();
  #attempts: DeliveryAttempt[] = [];
  readonly #events = new Map<string, StoredEvent>();
  #audit: StoredAudit[] = [];
  #audited = 0;
  #droppedThrough = 0;
  #clock: Pick<StoredState, 'awakeMs' | 'sequence' | 'rest' | 'clocks'> = { awakeMs: 0, sequence: 0 };

  load(): StoredState {
    const owners = [...this.#owners.values()];
    return {
      turns: [...this.#turns.values()],
      baselines: [...this.#baselines.values()].map(({ saved }) => saved),
      owners,
      ...this.#clock,
    };
  }

  commit(commit: Commit): void {
    for (const { id, saved } of commit.turns) this.#turns.set(id, saved);
    const usedAtMs = commit.clocks?.wallMs ?? 0;
    for (const { key, saved } of commit.baselines) this.#baselines.set(key, { saved, usedAtMs });
    for (const { kind, id } of commit.owners?.released ?? []) this.#owners.delete(`${kind} ${id}`);
    for (const owned of commit.owners?.claimed ?? []) this.#owners.set(`${owned.kind} ${owned.id}`, owned);
    for (const id of commit.forgottenTurns) this.#turns.delete(id);
    for (const delivery of commit.deliveries) {
      const key = keyOf(delivery);
      if (this.#rows.has(key)) continue;
      this.#rows.set(key, {
        ...delivery,
        attempts: 0,
        nextAttemptAtMs: delivery.createdAtMs,
        state: 'pending',
      });
    }
    for (const event of commit.events) if (!this.#events.has(event.id)) this.#events.set(event.id, event);
    for (const entry of commit.audit ?? []) this.#audit.push({ ...entry, id: ++this.#audited });
    const { awakeMs, sequence, rest = this.#clock.rest, clocks = this.#clock.clocks } = commit;
    this.#clock = {
      awakeMs,
      sequence,
      ...(rest === undefined ? {} : { rest }),
      ...(clocks === undefined ? {} : { clocks }),
    };
  }

  due(endpointId: string, nowMs: number, limit: number): readonly DeliveryRow[] {
    return this.#pending(endpointId)
      .filter((row) => row.nextAttemptAtMs <= nowMs)
      .sort(
        (one, other) =>
          Number(one.attempts > 0) - Number(other.attempts > 0) || one.sequence - other.sequence,
      )
      .slice(0, limit);
  }

  newest(endpointId: string): DeliveryRow | undefined {
    return this.#pending(endpointId).sort((one, other) => other.sequence - one.sequence)[0];
  }

  attempted(row: DeliveryRow, result: AttemptResult): { readonly superseded: number } {
    this.#attempts.push(attemptOf(row, result));
    const kept = this.#rows.get(keyOf(row));
    if (kept === undefined || (kept.state !== 'pending' && result.outcome !== 'delivered'))
      return { superseded: 0 };
    const attempts = kept.attempts + 1;
    if (result.outcome === 'retry')
      this.#put({ ...kept, attempts, nextAttemptAtMs: result.nextAttemptAtMs, lastError: result.error });
    if (result.outcome === 'dead') this.#put({ ...kept, attempts, state: 'dead', lastError: result.error });
    if (result.outcome !== 'delivered') return { superseded: 0 };
    this.#put({ ...kept, attempts, state: 'delivered' });
    const overtaken = this.#pending(row.endpointId).filter((older) => supersedes(kept, older));
    for (const older of overtaken) this.#put({ ...older, state: 'superseded', supersededBy: row.id });
    return { superseded: overtaken.length };
  }

  bury({ endpointId, createdUntilMs, error }: BurySelection): number {
    const old = this.#pending(endpointId).filter((row) => row.createdAtMs <= createdUntilMs);
    for (const row of old) this.#put({ ...row, state: 'dead', lastError: row.lastError ?? error });
    return old.length;
  }

  release(endpointId: string, nowMs: number): void {
    for (const row of this.#pending(endpointId))
      this.#put({ ...row, nextAttemptAtMs: Math.min(row.nextAttemptAtMs, nowMs) });
  }

  replay(id: string, endpointId: string, nowMs: number): boolean {
    const row = this.#rows.get(keyOf({ id, endpointId }));
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

  purgeDeliveries(createdBeforeMs: number, keep: number): number {
    const settled = [...this.#rows]
      .filter(([, row]) => row.state !== 'pending')
      .sort(([, one], [, other]) => other.createdAtMs - one.createdAtMs);
    const old = settled.filter(([, row], place) => row.createdAtMs < createdBeforeMs || place >= keep);
    for (const [key] of old) this.#rows.delete(key);
    this.#attempts = this.#attempts.filter(
      (attempt) => attempt.atMs >= createdBeforeMs && this.#rows.has(keyOf(attempt)),
    );
    return old.length;
  }

  deliveries(
    filter: DeliveryFilter,
    after: DeliveryPosition | undefined,
    limit: number,
  ): readonly DeliveryRow[] {
    return [...this.#rows.values()]
      .filter(
        (row) =>
          (filter.state === undefined || filter.state === row.state) &&
          (filter.turn === undefined || filter.turn === row.turnId) &&
          (filter.endpoints === undefined || filter.endpoints.includes(row.endpointId)) &&
          (after === undefined || newestDeliveryFirst(after, row) < 0),
      )
      .sort(newestDeliveryFirst)
      .slice(0, limit);
  }

  delivery(id: string, endpointId: string): DeliveryRow | undefined {
    return this.#rows.get(keyOf({ id, endpointId }));
  }

  eventsAfter(sequence: number, filter: EventFilter, limit: number): readonly StoredEvent[] {
    return [...this.#events.values()]
      .filter((event) => event.sequence > sequence && isWanted(event, filter))
      .sort((one, other) => one.sequence - other.sequence)
      .slice(0, limit);
  }

  eventBounds(): EventBounds {
    return { droppedThrough: this.#droppedThrough, newest: this.#clock.sequence };
  }

  purgeEvents(createdBeforeMs: number, keep: number): number {
    const all = [...this.#events.values()].sort((one, other) => one.sequence - other.sequence);
    const count = Math.max(
      all.findLastIndex((event) => event.createdAtMs < createdBeforeMs) + 1,
      all.length - keep,
      0,
    );
    const dropped = all.slice(0, count);
    for (const { id } of dropped) this.#events.delete(id);
    this.#droppedThrough = dropped.at(-1)?.sequence ?? this.#droppedThrough;
    return count;
  }

  audit({ turn, action }: AuditFilter, before: number | undefined, limit: number): readonly StoredAudit[] {
    return this.#audit
      .filter(
        (entry) =>
          (before === undefined || entry.id < before) &&
          (turn === undefined || entry.turn === turn) &&
          (action === undefined || entry.action === action),
      )
      .reverse()
      .slice(0, limit);
  }

  purgeAudit(keep: number): number {
    const before = this.#audit.length;
    const left = { true: keep, false: keep };
    const kept = this.#audit.toReversed().filter(({ action }) => left[`${isOrder(action)}`]-- > 0);
    this.#audit.splice(0, before, ...kept.toReversed());
    return before - kept.length;
  }

  purgeBaselines(usedBeforeMs: number, keep: number): readonly string[] {
    const gone = [...this.#baselines]
      .sort(([oneKey, one], [otherKey, other]) =>
        one.usedAtMs === other.usedAtMs ? (oneKey < otherKey ? -1 : 1) : other.usedAtMs - one.usedAtMs,
      )
      .filter(([, { usedAtMs }], place) => usedAtMs < usedBeforeMs || place >= keep)
      .map(([key]) => key);
    for (const key of gone) this.#baselines.delete(key);
    return gone;
  }

  shrink(): void {
    // The garbage collector does.
  }

  endpoints(): readonly StoredEndpoint[] {
    return [...this.#endpoints.values()];
  }

  saveEndpoint(endpoint: StoredEndpoint): void {
    this.#endpoints.set(endpoint.id, endpoint);
  }

  dropEndpoint(id: string, error: DeliveryError): number {
    this.#endpoints.delete(id);
    this.#states.delete(id);
    const waiting = this.#pending(id);
    for (const row of waiting) this.#put({ ...row, state: 'dead', lastError: error });
    return waiting.length;
  }

  attemptsOf(id: string): readonly DeliveryAttempt[] {
    return this.#attempts.filter((attempt) => attempt.id === id);
  }

  backlog(): ReadonlyMap<string, number> {
    return this.#counts('pending');
  }

  deadLetters(): ReadonlyMap<string, number> {
    return this.#counts('dead');
  }

  close(): void {
    // What is kept stays readable: a test closes one detector and starts the next on the same store.
  }

  #pending(endpointId?: string): DeliveryRow[] {
    return [...this.#rows.values()].filter(
      (row) => row.state === 'pending' && (endpointId === undefined || row.endpointId === endpointId),
    );
  }

  #counts(state: DeliveryState): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const row of this.#rows.values())
      if (row.state === state) counts.set(row.endpointId, (counts.get(row.endpointId) ?? 0) + 1);
    return counts;
  }

  #put(row: DeliveryRow): void {
    this.#rows.set(keyOf(row), row);
  }
}

function keyOf({ id, endpointId }: { readonly id: string; readonly endpointId: string }): string {
  return `${endpointId}\n${id}`;
}

function attemptOf({ id, endpointId }: DeliveryRow, result: AttemptResult): DeliveryAttempt {
  const { atMs, outcome } = result;
  if (result.outcome === 'delivered') return { id, endpointId, atMs, outcome, status: result.status };
  const { code, message, status } = result.error;
  return {
    id,
    endpointId,
    atMs,
    outcome,
    errorCode: code,
    errorMessage: message,
    ...(status === undefined ? {} : { status }),
  };
}
