import { Alarm } from './alarm.ts';
import { judgeAnswer } from './answer.ts';
import { deliveryHeaders } from './delivery-headers.ts';
import type { EndpointConfig } from './endpoint.ts';
import { activeState, stateAfter } from './endpoint-state.ts';
import { type Failure, failure, failureOf } from './failure.ts';
import { fateOf, reportOf } from './fate.ts';
import { FlightLimit } from './flight-limit.ts';
import { HttpLine } from './http-line.ts';
import { Lane } from './lane.ts';
import type { AttemptResult, DeliveryRow, EndpointState } from './outbox.ts';
import { defaultGiveUpAfterMs } from './schedule.ts';
import type { SenderOptions, SenderStats } from './sender-options.ts';

const buryEveryMs = 10_000;

/**
 * Drains the outbox: at least once, same id and bytes at each attempt. One lane per endpoint, each with its own schedule.
 * After `start` it polls; `wake` after a commit makes it look at once.
 */
export class Sender {
  readonly #options: SenderOptions;
  readonly #pollMs: number;
  readonly #lanes = new Map<string, Lane>();
  /** Results that the store refused: kept, so that a full disk does not turn into a loop of POSTs. */
  readonly #unwritten = new Set<() => void>();
  readonly #running = new Set<Promise<void>>();
  readonly #alarm: Alarm;
  readonly #limit: FlightLimit;
  #started = false;
  #cursor = 0;
  #buriedAtMs = Number.NEGATIVE_INFINITY;
  readonly #counts = { delivered: 0, failedAttempts: 0, dead: 0, superseded: 0 };

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#pollMs = options.pollMs ?? 500;
    this.#alarm = new Alarm(options.clock, () => this.#pump());
    this.#limit = new FlightLimit(options.maxInFlight ?? 64, options.clock);
    this.setEndpoints(options.endpoints);
  }

  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#pump();
  }

  /** Starts no new attempt, and resolves when those in flight are done and written. */
  async stop(): Promise<void> {
    this.#started = false;
    this.#alarm.clear();
    await Promise.all(this.#running);
    this.#writeAgain();
    for (const lane of this.#lanes.values()) lane.line.close();
  }

  /** Something was queued for these endpoints (default: for any): look now. Cheap, call it after each commit. */
  wake(endpointIds: Iterable<string> = this.#lanes.keys()): void {
    for (const id of endpointIds) this.#lanes.get(id)?.lookAt(0);
    this.#arm(this.#options.clock.nowMs());
  }

  /** Resolves when no attempt is in flight and none is due. Does not wait for later retries. */
  async idle(): Promise<void> {
    for (;;) {
      this.#pump();
      if (this.#running.size === 0) return;
      await Promise.all(this.#running);
    }
  }

  /** Replaces the endpoints. Queues of endpoints that are gone stay in the store until their rows are too old. */
  setEndpoints(endpoints: readonly EndpointConfig[]): void {
    const { outbox, clock } = this.#options;
    const states = new Map(outbox.endpointStates().map((state) => [state.endpointId, state]));
    const wanted = new Set(endpoints.map((endpoint) => endpoint.id));
    if (wanted.size !== endpoints.length) throw new Error('two endpoints have the same id');
    for (const [id, lane] of this.#lanes) {
      if (wanted.has(id)) continue;
      this.#lanes.delete(id);
      lane.line.close();
    }
    for (const endpoint of endpoints) {
      const before = this.#lanes.get(endpoint.id);
      if (before !== undefined && JSON.stringify(before.endpoint) === JSON.stringify(endpoint)) continue;
      const line = this.#options.line?.(endpoint, clock) ?? new HttpLine(endpoint, clock);
      const state = states.get(endpoint.id) ?? activeState(endpoint.id, clock.nowMs());
      if (before === undefined) this.#lanes.set(endpoint.id, new Lane(endpoint, line, state, clock.nowMs()));
      else before.replace(endpoint, line);
    }
    if (this.#started) this.wake();
  }

  /** How an endpoint stands; undefined: unknown. */
  state(endpointId: string): EndpointState | undefined {
    return this.#lanes.get(endpointId)?.state;
  }

  /** Makes a disabled or paused endpoint active. Its dead rows stay dead: nothing is sent again silently. False: unknown. */
  enable(endpointId: string): boolean {
    const lane = this.#lanes.get(endpointId);
    if (lane === undefined) return false;
    const nowMs = this.#options.clock.nowMs();
    this.#changeState(lane, activeState(endpointId, nowMs));
    this.#options.outbox.release(endpointId, nowMs);
    this.wake();
    return true;
  }

  /** Sends one row once more, under the same id, by an operator's wish. False: there is no such row. */
  replay(id: string, endpointId: string): boolean {
    const found = this.#options.outbox.replay(id, endpointId, this.#options.clock.nowMs());
    if (found) this.wake();
    return found;
  }

  stats(): SenderStats {
    const lanes = [...this.#lanes.values()];
    return {
      ...this.#counts,
      inFlight: this.#running.size,
      paused: lanes.filter((lane) => lane.state.status === 'paused').length,
      disabled: lanes.filter((lane) => lane.state.status === 'disabled').length,
    };
  }

  #pump(): void {
    if (!this.#started) return;
    const nowMs = this.#options.clock.nowMs();
    this.#writeAgain();
    this.#safely(() => this.#bury(nowMs));
    const lanes = [...this.#lanes.values()];
    // Another lane is first each time: when the whole is full, nobody is always last.
    this.#cursor = lanes.length === 0 ? 0 : (this.#cursor + 1) % lanes.length;
    for (let i = 0; i < lanes.length; i++) {
      const lane = lanes[(this.#cursor + i) % lanes.length];
      if (lane !== undefined && lane.lookAtMs <= nowMs) this.#safely(() => this.#fill(lane, nowMs));
    }
    this.#arm(nowMs + this.#pollMs);
  }

  #fill(lane: Lane, nowMs: number): void {
    lane.looked(nowMs + this.#pollMs);
    if (lane.state.status === 'disabled') {
      const error = failure(
        'disabled',
        'the endpoint answered 410 earlier and is disabled: enable it, then replay',
      );
      const dead = this.#options.outbox.bury({ endpointId: lane.endpoint.id, createdUntilMs: nowMs, error });
      this.#counts.dead += dead;
      return;
    }
    if (nowMs < lane.notBeforeMs) {
      this.#arm(lane.notBeforeMs);
      lane.lookAt(lane.notBeforeMs);
      return;
    }
    // Where nothing can go the store is not asked, and a paused endpoint does not spend its probe on nothing.
    let full = !this.#limit.hasRoom;
    for (const row of full ? [] : this.#candidates(lane, nowMs)) {
      if (lane.room(this.#options.maxInFlightPerEndpoint ?? 2) === 0) return;
      full = !this.#limit.hasRoom;
      if (full) break;
      if (lane.mayStart(row)) this.#start(lane, row);
    }
    // This lane is looked at again as soon as there is room.
    if (full) lane.lookAt(0);
  }

  #candidates(lane: Lane, nowMs: number): readonly DeliveryRow[] {
    const room = lane.room(this.#options.maxInFlightPerEndpoint ?? 2);
    if (room === 0) return [];
    if (lane.state.status === 'active') {
      // More than there is room for: rows of turns that are in flight are passed over.
      return this.#options.outbox.due(lane.endpoint.id, nowMs, 4 * (room + lane.inFlight));
    }
    if (nowMs < lane.probeAtMs) return [];
    const probe = this.#options.outbox.newest(lane.endpoint.id);
    // With nothing queued the probe stays open: the next event is it, at once.
    if (probe === undefined) return [];
    lane.probeAtMs = nowMs + (this.#options.probeMs ?? 600_000);
    return [probe];
  }

  #start(lane: Lane, row: DeliveryRow): void {
    lane.started(row);
    const running = this.#attempt(lane, row)
      .catch((error: unknown) => this.#options.onError?.(error))
      .finally(() => {
        this.#running.delete(running);
        if (this.#started) this.wake([lane.endpoint.id]);
      });
    this.#running.add(running);
  }

  async #attempt(lane: Lane, row: DeliveryRow): Promise<void> {
    const { clock } = this.#options;
    const startedAtMs = clock.nowMs();
    const land = this.#limit.takeOff(() => this.#arm(clock.nowMs()));
    const { status, why } = await this.#post(lane, row, startedAtMs);
    land();
    const atMs = clock.nowMs();
    const result: AttemptResult =
      why === undefined
        ? { outcome: 'delivered', atMs, status }
        : fateOf(row, why, atMs, this.#options.random(), this.#options.giveUpAfterMs ?? defaultGiveUpAfterMs);
    this.#write(lane, row, result, why, atMs - startedAtMs);
  }

  async #post(lane: Lane, row: DeliveryRow, nowMs: number): Promise<{ status: number; why?: Failure }> {
    try {
      const headers = deliveryHeaders(lane.endpoint, row, nowMs);
      const timeoutMs = this.#options.timeoutMs ?? 10_000;
      const attempt = row.attempts + 1;
      const answer = await lane.line.post({ headers, body: row.body, timeoutMs, attempt });
      const why = judgeAnswer(answer, this.#options.clock.nowMs());
      return why === undefined ? { status: answer.status } : { status: answer.status, why };
    } catch (error) {
      return { status: 0, why: failureOf(error) };
    }
  }

  /** Writes the outcome; the row counts as in flight until that has succeeded. */
  #write(
    lane: Lane,
    row: DeliveryRow,
    result: AttemptResult,
    why: Failure | undefined,
    durationMs: number,
  ): void {
    const write = (): void => {
      const { superseded } = this.#options.outbox.attempted(row, result);
      this.#unwritten.delete(write);
      lane.settled(row);
      this.#count(result, superseded);
      this.#judgeEndpoint(lane, why, result.atMs);
      if (result.outcome === 'retry') {
        lane.lookAt(result.nextAttemptAtMs);
        this.#arm(result.nextAttemptAtMs);
      }
      this.#options.onReport?.(reportOf(row, result, why, superseded, durationMs));
    };
    this.#unwritten.add(write);
    this.#safely(write);
  }

  #writeAgain(): void {
    for (const write of [...this.#unwritten]) this.#safely(write);
  }

  #count(result: AttemptResult, superseded: number): void {
    if (result.outcome === 'delivered') this.#counts.delivered++;
    else this.#counts.failedAttempts++;
    if (result.outcome === 'dead') this.#counts.dead++;
    this.#counts.superseded += superseded;
  }

  #judgeEndpoint(lane: Lane, why: Failure | undefined, atMs: number): void {
    if (why?.retryAfterMs !== undefined) lane.notBeforeMs = atMs + why.retryAfterMs;
    const before = lane.state;
    const after = stateAfter(before, why, atMs, this.#options.pauseAfterMs ?? 900_000);
    if (after === before) return;
    if (after.status === 'paused') lane.probeAtMs = atMs + (this.#options.probeMs ?? 600_000);
    this.#changeState(lane, after);
    // Only after a pause: where some events fail and others succeed, each success would hurry every failing one.
    if (before.status === 'paused' && after.status === 'active') {
      this.#options.outbox.release(lane.endpoint.id, atMs);
    }
  }

  #changeState(lane: Lane, state: EndpointState): void {
    const before = lane.state.status;
    lane.state = state;
    this.#options.outbox.saveEndpointState(state);
    if (before !== state.status) this.#options.onEndpoint?.(state);
  }

  #bury(nowMs: number): void {
    if (nowMs - this.#buriedAtMs < buryEveryMs) return;
    this.#buriedAtMs = nowMs;
    const giveUpAfterMs = this.#options.giveUpAfterMs ?? defaultGiveUpAfterMs;
    const error = failure('too_old', `not delivered within ${Math.round(giveUpAfterMs / 60_000)} min`);
    this.#counts.dead += this.#options.outbox.bury({ createdUntilMs: nowMs - giveUpAfterMs, error });
  }

  #arm(atMs: number): void {
    if (this.#started) this.#alarm.set(atMs);
  }

  #safely(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#options.onError?.(error);
    }
  }
}
