import { cleanText } from '@turnwatch/protocol/wire';
import { endCall, linkChild, progressCall, startCall } from './calls.ts';
import type {
  PromptRead,
  ProviderError,
  RequestEnd,
  RequestOptions,
  ToolOptions,
  TurnEnd,
  WaitingOptions,
} from './options.ts';
import { reportOf } from './report.ts';
import { chunk, endRequest, keepalive, lifecycle, promptRead, startRequest } from './requests.ts';
import type { ContentKind, Happening, Outcome, Phase, TurnIdentity, TurnReport } from './signal.ts';
import { TurnState } from './turn-state.ts';
import { find, type TurnStatus, TurnWork, type WorkHost } from './turn-work.ts';
import { endWaits, failProvider, startWait } from './waits.ts';

export type { TurnStatus } from './turn-work.ts';

/** What a turn needs of its producer. */
export interface TurnHost extends WorkHost {
  tell(turn: ProducerTurn, happening: Happening): void;
  readonly phaseEnded?: ((turn: ProducerTurn, phase: Phase, largestGapMs: number) => void) | undefined;
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
  readonly #work: TurnWork;
  readonly #startedA: number;

  constructor(host: TurnHost, facts: TurnFacts, status: 'open' | 'inert') {
    this.#host = host;
    this.id = facts.id;
    this.attempt = facts.attempt;
    this.incarnation = facts.incarnation;
    this.identity = facts.identity;
    this.deadlineMs = facts.deadlineMs;
    this.spanId = facts.spanId;
    this.#startedA = host.clock.now();
    this.#work = new TurnWork(host, new TurnState(this.#startedA), status, (happening) =>
      host.tell(this, happening),
    );
    const { phaseEnded } = host;
    if (phaseEnded !== undefined && status === 'open')
      this.#work.state.gap.onEnd = (phase, largestMs) => phaseEnded(this, phase, largestMs);
  }

  get status(): TurnStatus {
    return this.#work.status;
  }

  /** Time left to the horizon, ms; `undefined`: none. */
  expiresInMs(): number | undefined {
    return this.deadlineMs === undefined ? undefined : this.#work.leftMs(this.deadlineMs);
  }

  hasRequest(requestId: string): boolean {
    return find(this.#work.state.requests, requestId) !== undefined;
  }

  /** Time left to an open request's own horizon, ms; `undefined`: none. */
  requestExpiresInMs(requestId: string): number | undefined {
    const deadlineMs = find(this.#work.state.requests, requestId)?.deadlineMs;
    return deadlineMs === undefined ? undefined : this.#work.leftMs(deadlineMs);
  }

  /** A step of the agent's own code. */
  step(name?: string): void {
    const work = this.#work;
    const a = work.begin();
    if (a === undefined) return;
    work.state.work('agent_step', a);
    work.state.productiveA = a;
    work.state.settle(a);
    if (!work.mayTell(work.stepToldA, a)) return;
    work.stepToldA = a;
    work.tell({ name: 'step', ...(name === undefined ? {} : { step: cleanText(name) }) });
  }

  /** @returns the request's id. An id that is still open is refused: the open request goes on, and it is counted. */
  requestStarted(options: RequestOptions = {}): string {
    return startRequest(this.#work, options);
  }

  requestEnded(requestId: string, end: RequestEnd = {}): void {
    endRequest(this.#work, requestId, end);
  }

  /** Content arrived. The hot path: no allocation and no record but for the first content of a request. */
  chunk(kind: ContentKind, requestId?: string): void {
    chunk(this.#work, kind, requestId);
  }

  /** A stream event without content (created, in_progress, role): counts like a keep-alive, never as activity. */
  lifecycle(event?: string, requestId?: string): void {
    lifecycle(this.#work, event, requestId);
  }

  /** An SSE comment, ping or empty delta on the turn's own open request: evidence, never activity. */
  keepalive(requestId?: string): void {
    keepalive(this.#work, requestId);
  }

  /** The engine's own count of prompt tokens read for the open request: evidence only if it moved (000). */
  promptRead(read: PromptRead): void {
    promptRead(this.#work, read);
  }

  /** @returns the call's id. An id that is still open is refused: the open call goes on, and it is counted. */
  toolStarted(options: ToolOptions = {}): string {
    return startCall(this.#work, options);
  }

  /** A non-terminal update of the call: restarts its own grace, and is no activity of the turn (001). */
  toolProgress(callId: string): void {
    progressCall(this.#work, callId);
  }

  /** The terminal update of the call. A second one is a duplicate and no activity. */
  toolEnded(callId: string, outcome: Outcome = 'completed'): void {
    endCall(this.#work, callId, outcome);
  }

  /** Says which turn does the work of an open call: that turn then answers for it. */
  linkChild(callId: string, childTurn: string): void {
    linkChild(this.#work, callId, childTurn);
  }

  /** The turn, or one call of it, waits for something known. The same wait told again is no news. */
  waiting(options: WaitingOptions): void {
    startWait(this.#work, options);
  }

  /**
   * The wait is over.
   *
   * @param callId ends only that call's wait. Default: all waits.
   */
  resumed(callId?: string): void {
    endWaits(this.#work, callId);
  }

  compactionStarted(): void {
    this.#compact(true, 'compaction_started');
  }

  compactionEnded(): void {
    this.#compact(false, 'compaction_ended');
  }

  /**
   * A fatal one is no activity: it pends until a newer request, call or content. A retryable one begins a wait for the
   * retry.
   */
  providerError(error: ProviderError = {}): void {
    failProvider(this.#work, error);
  }

  /** Ends the turn and everything it has open. After the horizon or a first end: a late settlement, counted. */
  ended(end: TurnEnd = {}): void {
    if (this.status === 'expired' || this.status === 'ended') this.settleLate(end);
    const a = this.#work.begin();
    if (a === undefined) return;
    const outcome = end.outcome ?? 'completed';
    if (outcome === 'completed') this.#work.state.complete(a);
    else this.#work.state.fail(a);
    this.#close(outcome, end.errorType, a);
  }

  /**
   * The work settled after its horizon or end. Counted; changes nothing (004). Where this process has not expired the
   * turn itself, it is the turn's end like any other.
   */
  settleLate(end: TurnEnd = {}): void {
    if (this.status === 'open') {
      this.ended(end);
      return;
    }
    if (this.status === 'inert') return;
    this.#host.counters.lateSettlements++;
    if (this.status === 'expired')
      this.#close(end.outcome ?? 'completed', end.errorType, this.#work.clock.now());
  }

  /** The horizon has passed and the turn is settled here: it takes no more part, but is reported for a while yet. */
  expire(): void {
    const a = this.#work.begin();
    if (a === undefined) return;
    this.#work.state.endGaps(a);
    this.#work.status = 'expired';
    this.expiredAtMs = this.#work.clock.awakeMs;
    this.#work.tell({ name: 'heartbeat' });
  }

  /** Takes the turn out of the producer without a word: a newer attempt has closed it, or it expired long enough ago. */
  drop(outcome: Outcome): void {
    if (this.status !== 'open' && this.status !== 'expired') return;
    this.#work.status = 'ended';
    this.#host.closed(this, outcome);
  }

  /** To be called at each heartbeat before its report is taken: an `until` may have passed. */
  beat(): void {
    this.beats++;
    const work = this.#work;
    const a = work.clock.now();
    if (work.status === 'open' && work.state.waits.size > 0) work.endDueWaits(a);
    work.beatA = a;
  }

  /** The state now, as {@link takeReport}, without counting as a report. */
  report(): TurnReport {
    const { clock, state } = this.#work;
    const { wokeA } = clock;
    return reportOf(state, {
      bootMs: clock.bootMs(),
      // An earlier wake says nothing about this turn.
      wokeA: wokeA !== undefined && wokeA > this.#startedA ? wokeA : undefined,
      deadlineMs: this.deadlineMs,
    });
  }

  /** The report for a record that goes out: the next one's `firstA` starts from here. */
  takeReport(): TurnReport {
    const report = this.report();
    this.#work.state.firstA = undefined;
    return report;
  }

  #compact(compacting: boolean, name: 'compaction_started' | 'compaction_ended'): void {
    const { state } = this.#work;
    const a = this.#work.begin();
    if (a === undefined || state.compacting === compacting) return;
    state.compacting = compacting;
    if (compacting) state.work(name, a);
    else state.act(name, a);
    state.settle(a);
    this.#work.tell({ name });
  }

  #close(outcome: Outcome, errorType: string | undefined, a: number): void {
    const { state } = this.#work;
    state.closeAll(a);
    state.settle(a);
    this.#work.status = 'ended';
    this.#work.tell({
      name: 'ended',
      outcome,
      ...(errorType === undefined ? {} : { errorType: cleanText(errorType) }),
    });
    this.#host.closed(this, outcome);
  }
}
