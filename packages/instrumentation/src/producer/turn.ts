import { cleanId, cleanText } from '@turnwatch/protocol/wire';
import type { AwakeClock } from './awake-clock.ts';
import type { Counters } from './counters.ts';
import { deadline, leftMs } from './deadline.ts';
import type { OpenCall, OpenRequest } from './open-work.ts';
import type {
  PromptRead,
  ProviderError,
  RequestEnd,
  RequestOptions,
  RetryOptions,
  ToolOptions,
  TurnEnd,
  WaitingOptions,
} from './options.ts';
import { reportOf } from './report.ts';
import type { ContentKind, Happening, Outcome, TurnIdentity, TurnReport } from './signal.ts';
import { TurnState } from './turn-state.ts';

export type TurnStatus =
  | 'open'
  /** Past its horizon and settled here; still reported for a while, so that the detector has its proof. */
  | 'expired'
  | 'ended'
  /** Never was: refused at its start. Does nothing. */
  | 'inert';

/** What a turn needs of its producer. */
export interface TurnHost {
  readonly clock: AwakeClock;
  readonly counters: Counters;
  /** Send also what the heartbeat carries: chunks, keep-alives, lifecycle events, prompt reads, each tool progress. */
  readonly everyEvent: boolean;
  newId(): string;
  tell(turn: ProducerTurn, happening: Happening): void;
  closed(turn: ProducerTurn, outcome: Outcome): void;
}

export interface TurnFacts {
  readonly id: string;
  readonly attempt: number;
  readonly incarnation: number;
  readonly identity: TurnIdentity;
  /** The horizon on the producer's boot clock. */
  readonly deadlineMs: number | undefined;
  readonly spanId: string | undefined;
}

const retryDefaultMs = 60_000;
/** Records of what goes on all the time (steps, tool progress) at most this often each; the heartbeat carries the rest. */
const tellEveryMs = 1000;
const maxOpenRequests = 256;
const maxOpenCalls = 1024;

/**
 * One turn as its own process sees it: open requests, calls and waits, the derived phase, stamps of activity and
 * evidence. I/O-free. No method throws; on a turn that is not open none does anything.
 */
export class ProducerTurn {
  readonly id: string;
  readonly attempt: number;
  readonly incarnation: number;
  readonly identity: TurnIdentity;
  readonly deadlineMs: number | undefined;
  readonly spanId: string | undefined;
  /** Heartbeats so far: the first ones carry the identity. */
  beats = 0;
  /** When it went past its horizon, on the raw awake clock. */
  expiredAtMs = 0;
  readonly #host: TurnHost;
  readonly #clock: AwakeClock;
  readonly #state: TurnState;
  #status: TurnStatus;
  readonly #startedA: number;
  #beatA: number;
  #stepToldA: number | undefined;
  #readToldA: number | undefined;

  constructor(host: TurnHost, facts: TurnFacts, status: 'open' | 'inert') {
    this.#host = host;
    this.#clock = host.clock;
    this.#status = status;
    this.id = facts.id;
    this.attempt = facts.attempt;
    this.incarnation = facts.incarnation;
    this.identity = facts.identity;
    this.deadlineMs = facts.deadlineMs;
    this.spanId = facts.spanId;
    this.#startedA = host.clock.now();
    this.#beatA = this.#startedA;
    this.#state = new TurnState(this.#startedA);
  }

  get status(): TurnStatus {
    return this.#status;
  }

  /** Time left to the horizon, ms; `undefined`: none. */
  expiresInMs(): number | undefined {
    return this.deadlineMs === undefined ? undefined : leftMs(this.deadlineMs, this.#clock.bootMs());
  }

  hasRequest(requestId: string): boolean {
    return find(this.#state.requests, requestId) !== undefined;
  }

  /** Time left to an open request's own horizon, ms; `undefined`: none. */
  requestExpiresInMs(requestId: string): number | undefined {
    const deadlineMs = find(this.#state.requests, requestId)?.deadlineMs;
    return deadlineMs === undefined ? undefined : leftMs(deadlineMs, this.#clock.bootMs());
  }

  /** A step of the agent's own code. */
  step(name?: string): void {
    const a = this.#begin();
    if (a === undefined) return;
    const state = this.#state;
    state.work('agent_step', a);
    state.productiveA = a;
    state.settle(a);
    if (!this.#host.everyEvent && this.#stepToldA !== undefined && a - this.#stepToldA < tellEveryMs) return;
    this.#stepToldA = a;
    this.#tell({ name: 'step', ...(name === undefined ? {} : { step: cleanText(name) }) });
  }

  /** @returns the request's id. An id that is still open is refused: the open request goes on, and it is counted. */
  requestStarted(options: RequestOptions = {}): string {
    const id = cleanId(options.id ?? this.#host.newId());
    const a = this.#begin();
    if (a === undefined) return id;
    const state = this.#state;
    if (state.requests.has(id) || state.requests.size >= maxOpenRequests) {
      this.#host.counters.refusedRequests++;
      return id;
    }
    const streaming = options.streaming ?? true;
    const deadlineMs = deadline(this.#clock, { inMs: options.expiresInMs, atMs: options.expiresAtMs });
    const promptTokens = count(options.promptTokens);
    state.open({
      id,
      startedA: a,
      streaming,
      phase: streaming ? 'first_token' : 'non_streaming',
      ...(promptTokens === undefined ? {} : { promptTokens }),
      ...(deadlineMs === undefined ? {} : { deadlineMs }),
    });
    state.work('request_started', a);
    state.settle(a);
    this.#tell({
      name: 'request_started',
      request: id,
      streaming,
      ...(promptTokens === undefined ? {} : { promptTokens }),
      ...(deadlineMs === undefined ? {} : { expiresInMs: leftMs(deadlineMs, this.#clock.bootMs()) }),
    });
    return id;
  }

  requestEnded(requestId: string, end: RequestEnd = {}): void {
    const a = this.#begin();
    if (a === undefined) return;
    const state = this.#state;
    const request = find(state.requests, requestId);
    if (request === undefined) {
      this.#host.counters.duplicateEnds++;
      return;
    }
    const outcome = end.outcome ?? 'completed';
    state.close(request);
    if (outcome === 'completed') {
      state.act('request_ended', a);
      state.productiveA = a;
    } else {
      state.act('request_failed', a);
      state.fail(a);
    }
    const retries = end.retryable === true && outcome !== 'completed';
    // Another open request is not made to wait by this one's retry.
    const retryInMs = retries && state.requests.size === 0 ? this.#awaitRetry(end, a) : undefined;
    state.settle(a);
    this.#tell({
      name: 'request_ended',
      request: request.id,
      outcome,
      ...(end.retryable === undefined ? {} : { retryable: end.retryable }),
      ...(retryInMs === undefined ? {} : { retryInMs }),
    });
  }

  /** Content arrived. The hot path: no allocation and no record but for the first content of a request. */
  chunk(kind: ContentKind, requestId?: string): void {
    if (this.#status !== 'open') return;
    const a = this.#clock.now();
    const state = this.#state;
    if (state.waits.size > 0) this.#endDueWaits(a);
    const request = requestId === undefined ? state.newest : find(state.requests, requestId);
    const isFirst = request !== undefined && request.contentA === undefined;
    state.content(kind, request, a);
    if (isFirst) {
      this.#tell({
        name: 'first_chunk',
        request: request.id,
        kind,
        ttftMs: Math.round(a - request.startedA),
        ...(request.promptTokens === undefined ? {} : { promptTokens: request.promptTokens }),
      });
    } else if (this.#host.everyEvent) {
      this.#tell({ name: 'chunk', kind, ...(request === undefined ? {} : { request: request.id }) });
    }
  }

  /** A stream event without content (created, in_progress, role): counts like a keep-alive, never as activity. */
  lifecycle(event?: string, requestId?: string): void {
    if (!this.#keepalive(requestId) || !this.#host.everyEvent) return;
    this.#tell({ name: 'lifecycle', ...(event === undefined ? {} : { event: cleanText(event) }) });
  }

  /** An SSE comment, ping or empty delta on the turn's own open request: evidence, never activity. */
  keepalive(requestId?: string): void {
    if (!this.#keepalive(requestId) || !this.#host.everyEvent) return;
    this.#tell({ name: 'keepalive', ...(requestId === undefined ? {} : { request: cleanId(requestId) }) });
  }

  /** The engine's own count of prompt tokens read for the open request: evidence only if it moved (000). */
  promptRead({ read, total, requestId }: PromptRead): void {
    const a = this.#begin();
    const state = this.#state;
    const request = requestId === undefined ? state.newest : find(state.requests, requestId);
    if (a === undefined || request === undefined || !Number.isFinite(read)) return;
    const knownTotal = count(total);
    if (knownTotal !== undefined) request.total = knownTotal;
    // Any change counts, also a smaller number: an engine that starts the read over is at work.
    if (request.read !== read && (request.read !== undefined || read > 0)) {
      request.progressA = a;
      state.productiveA = a;
      if (request === state.newest) state.evidence(a);
    }
    request.read = read;
    if (!this.#host.everyEvent && this.#readToldA !== undefined && a - this.#readToldA < tellEveryMs) return;
    this.#readToldA = a;
    this.#tell({
      name: 'prompt_read',
      read,
      ...(knownTotal === undefined ? {} : { total: knownTotal }),
      request: request.id,
    });
  }

  /** @returns the call's id. An id that is still open is refused: the open call goes on, and it is counted. */
  toolStarted(options: ToolOptions = {}): string {
    const id = cleanId(options.id ?? this.#host.newId());
    const a = this.#begin();
    if (a === undefined) return id;
    const state = this.#state;
    if (state.calls.has(id) || state.calls.size >= maxOpenCalls) {
      this.#host.counters.refusedCalls++;
      return id;
    }
    const timeoutMs = count(options.timeoutMs);
    const name = options.name === undefined ? undefined : cleanText(options.name);
    state.work('tool_started', a);
    state.calls.set(id, {
      id,
      startedA: a,
      quietSinceA: a,
      updates: 0,
      ...(name === undefined ? {} : { name }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(options.childTurn === undefined ? {} : { childTurn: cleanId(options.childTurn) }),
    });
    state.settle(a);
    this.#tell({
      name: 'tool_started',
      call: id,
      ...(name === undefined ? {} : { tool: name }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    return id;
  }

  /** A non-terminal update of the call: restarts its own grace, and is no activity of the turn (001). */
  toolProgress(callId: string): void {
    const a = this.#begin();
    const call = find(this.#state.calls, callId);
    if (a === undefined || call === undefined) return;
    call.quietSinceA = a;
    call.updates++;
    if (!this.#host.everyEvent && call.toldA !== undefined && a - call.toldA < tellEveryMs) return;
    call.toldA = a;
    this.#tell({ name: 'tool_progress', call: call.id });
  }

  /** The terminal update of the call. A second one is a duplicate and no activity. */
  toolEnded(callId: string, outcome: Outcome = 'completed'): void {
    const a = this.#begin();
    if (a === undefined) return;
    const state = this.#state;
    const call = find(state.calls, callId);
    if (call === undefined) {
      this.#host.counters.duplicateEnds++;
      return;
    }
    state.endWait(call.id, a);
    state.calls.delete(call.id);
    state.act('tool_ended', a);
    state.settle(a);
    this.#tell({ name: 'tool_ended', call: call.id, outcome });
  }

  /** Says which turn does the work of an open call: that turn then answers for it. */
  linkChild(callId: string, childTurn: string): void {
    const call: OpenCall | undefined = find(this.#state.calls, callId);
    if (this.#status === 'open' && call !== undefined) call.childTurn = cleanId(childTurn);
  }

  /** The turn, or one call of it, waits for something known. The same wait told again is no news. */
  waiting(options: WaitingOptions): void {
    const a = this.#begin();
    if (a === undefined) return;
    const state = this.#state;
    const call = options.call === undefined ? undefined : find(state.calls, options.call)?.id;
    const limited = options.for === 'retry' || options.for === 'rate_limit';
    const untilMs =
      deadline(this.#clock, { inMs: options.untilInMs, atMs: options.untilMs }) ??
      (limited ? deadline(this.#clock, { inMs: retryDefaultMs }) : undefined);
    const before = state.waits.get(call ?? '');
    if (before !== undefined && before.for === options.for && sameInstant(before.untilMs, untilMs)) return;
    state.act('waiting_started', a);
    state.startWait({
      for: options.for,
      sinceA: a,
      ...(untilMs === undefined ? {} : { untilMs }),
      ...(call === undefined ? {} : { call }),
    });
    state.settle(a);
    this.#tell({
      name: 'waiting',
      for: options.for,
      ...(untilMs === undefined ? {} : { untilInMs: leftMs(untilMs, this.#clock.bootMs()) }),
      ...(call === undefined ? {} : { call }),
    });
  }

  /**
   * The wait is over.
   *
   * @param callId ends only that call's wait. Default: all waits.
   */
  resumed(callId?: string): void {
    const a = this.#begin();
    if (a === undefined) return;
    const state = this.#state;
    const ended =
      callId === undefined
        ? [...state.waits.keys()]
        : [cleanId(callId)].filter((key) => state.waits.has(key));
    if (ended.length === 0) return;
    for (const key of ended) state.endWait(key, a);
    state.act('waiting_ended', a);
    state.settle(a);
    this.#tell({ name: 'resumed' });
  }

  compactionStarted(): void {
    const a = this.#begin();
    if (a === undefined || this.#state.compacting) return;
    this.#state.work('compaction_started', a);
    this.#state.compacting = true;
    this.#state.settle(a);
    this.#tell({ name: 'compaction_started' });
  }

  compactionEnded(): void {
    const a = this.#begin();
    if (a === undefined || !this.#state.compacting) return;
    this.#state.compacting = false;
    this.#state.act('compaction_ended', a);
    this.#state.settle(a);
    this.#tell({ name: 'compaction_ended' });
  }

  /** Never activity: it pends until something of the turn's own moves; a failed end does not clear it. */
  providerError(error: ProviderError = {}): void {
    const a = this.#begin();
    if (a === undefined) return;
    const state = this.#state;
    const retryable = error.retryable ?? false;
    const type = cleanText(error.type ?? '') || 'provider_error';
    const retryInMs = retryable ? this.#awaitRetry(error, a) : undefined;
    state.error = { type, retryable, atA: a };
    state.settle(a);
    this.#tell({
      name: 'provider_error',
      errorType: type,
      retryable,
      ...(retryInMs === undefined ? {} : { retryInMs }),
    });
  }

  /** Ends the turn and everything it has open. After the horizon or a first end: a late settlement, counted. */
  ended(end: TurnEnd = {}): void {
    if (this.#status === 'expired' || this.#status === 'ended') this.settleLate(end);
    const a = this.#begin();
    if (a === undefined) return;
    const outcome = end.outcome ?? 'completed';
    const state = this.#state;
    if (outcome === 'completed') {
      state.act('request_ended', a);
      state.productiveA = a;
    } else {
      state.act('request_failed', a);
      state.fail(a);
    }
    this.#close(outcome, end.errorType, a);
  }

  /**
   * The work settled after its horizon or end. Counted; changes nothing (004). Where this process has not expired the
   * turn itself, it is the turn's end like any other.
   */
  settleLate(end: TurnEnd = {}): void {
    if (this.#status === 'open') {
      this.ended(end);
      return;
    }
    if (this.#status === 'inert') return;
    this.#host.counters.lateSettlements++;
    if (this.#status === 'expired') this.#close(end.outcome ?? 'completed', end.errorType, this.#clock.now());
  }

  /** The horizon has passed and the turn is settled here: it takes no more part, but is reported for a while yet. */
  expire(): void {
    if (this.#begin() === undefined) return;
    this.#status = 'expired';
    this.expiredAtMs = this.#clock.awakeMs;
    this.#host.tell(this, { name: 'heartbeat' });
  }

  /** Takes the turn out of the producer without a word: a newer attempt has closed it, or it expired long enough ago. */
  drop(outcome: Outcome): void {
    if (this.#status !== 'open' && this.#status !== 'expired') return;
    this.#status = 'ended';
    this.#host.closed(this, outcome);
  }

  /** To be called at each heartbeat before its report is taken: an `until` may have passed. */
  beat(): void {
    this.beats++;
    const a = this.#clock.now();
    if (this.#status === 'open' && this.#state.waits.size > 0) this.#endDueWaits(a);
    this.#beatA = a;
  }

  /** The state now, as {@link takeReport}, without counting as a report. */
  report(): TurnReport {
    const wokeA = this.#clock.wokeA;
    return reportOf(this.#state, {
      bootMs: this.#clock.bootMs(),
      // An earlier wake says nothing about this turn.
      wokeA: wokeA !== undefined && wokeA > this.#startedA ? wokeA : undefined,
      deadlineMs: this.deadlineMs,
    });
  }

  /** The report for a record that goes out: the next one's `firstA` starts from here. */
  takeReport(): TurnReport {
    const report = this.report();
    this.#state.firstA = undefined;
    return report;
  }

  /** The instant of a call on an open turn; waits whose `until` passed are settled first. */
  #begin(): number | undefined {
    if (this.#status !== 'open') return undefined;
    const a = this.#clock.now();
    if (this.#state.waits.size > 0) this.#endDueWaits(a);
    return a;
  }

  #endDueWaits(a: number): void {
    this.#state.endDueWaits(this.#clock.bootMs(), a, this.#beatA);
  }

  #keepalive(requestId: string | undefined): boolean {
    const a = this.#begin();
    const state = this.#state;
    const request: OpenRequest | undefined =
      requestId === undefined ? state.newest : find(state.requests, requestId);
    if (a === undefined || request === undefined) return false;
    request.keepaliveA = a;
    if (request === state.newest) state.evidence(a);
    return true;
  }

  #awaitRetry(retry: RetryOptions, a: number): number {
    const fallback = deadline(this.#clock, { inMs: retryDefaultMs }) ?? 0;
    const untilMs = deadline(this.#clock, { inMs: retry.retryInMs, atMs: retry.retryAtMs }) ?? fallback;
    this.#state.startWait({ for: 'retry', sinceA: a, untilMs });
    return leftMs(untilMs, this.#clock.bootMs());
  }

  #close(outcome: Outcome, errorType: string | undefined, a: number): void {
    this.#state.closeAll();
    this.#state.settle(a);
    this.#status = 'ended';
    this.#host.tell(this, {
      name: 'ended',
      outcome,
      ...(errorType === undefined ? {} : { errorType: cleanText(errorType) }),
    });
    this.#host.closed(this, outcome);
  }

  #tell(happening: Happening): void {
    this.#host.tell(this, happening);
  }
}

/** By the id as given, which is clean nearly always, else by its clean form. */
function find<T>(open: ReadonlyMap<string, T>, id: string): T | undefined {
  return open.get(id) ?? open.get(cleanId(id));
}

function count(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** Deadlines computed twice from the same wall instant differ by the clocks' grain. */
function sameInstant(before: number | undefined, after: number | undefined): boolean {
  return before === after || (before !== undefined && after !== undefined && Math.abs(before - after) < 1000);
}
