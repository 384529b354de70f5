import type { EndpointConfig } from './endpoint.ts';
import type { DeliveryRow, EndpointState } from './outbox.ts';
import type { PostLine } from './post.ts';

/** What the sender keeps of one endpoint: one slow endpoint never holds up another (remitlend 655). */
export class Lane {
  endpoint: EndpointConfig;
  line: PostLine;
  state: EndpointState;
  /** Retry-After of the endpoint: nothing goes out before. Wall clock. */
  notBeforeMs = 0;
  /** When a paused endpoint is probed next. Wall clock. */
  probeAtMs: number;
  #lookAtMs = 0;
  readonly #ids = new Set<string>();
  readonly #turns = new Set<string>();

  constructor(endpoint: EndpointConfig, line: PostLine, state: EndpointState, probeAtMs: number) {
    this.endpoint = endpoint;
    this.line = line;
    this.state = state;
    this.probeAtMs = probeAtMs;
  }

  /** Another configuration of the same endpoint; what is in flight goes on. */
  replace(endpoint: EndpointConfig, line: PostLine): void {
    this.line.close();
    this.endpoint = endpoint;
    this.line = line;
    this.notBeforeMs = 0;
  }

  /** When the store is to be asked for this lane again. Wall clock. */
  get lookAtMs(): number {
    return this.#lookAtMs;
  }

  /** Ask the store at `atMs` at the latest. */
  lookAt(atMs: number): void {
    this.#lookAtMs = Math.min(this.#lookAtMs, atMs);
  }

  /** The store has been asked; the next time is at `nextMs` unless something happens before. */
  looked(nextMs: number): void {
    this.#lookAtMs = nextMs;
  }

  get inFlight(): number {
    return this.#ids.size;
  }

  /** False while the row itself is in flight, or an event of the same turn: those go in order. */
  mayStart(row: DeliveryRow): boolean {
    return !this.#ids.has(row.id) && (row.turnId === null || !this.#turns.has(row.turnId));
  }

  started(row: DeliveryRow): void {
    this.#ids.add(row.id);
    if (row.turnId !== null) this.#turns.add(row.turnId);
  }

  settled(row: DeliveryRow): void {
    this.#ids.delete(row.id);
    if (row.turnId !== null) this.#turns.delete(row.turnId);
  }

  /** A failing endpoint gets one POST at a time: it may be drowning. */
  room(maxInFlight: number): number {
    const bound = this.state.failingSinceMs === null ? maxInFlight : 1;
    return Math.max(0, bound - this.inFlight);
  }
}
