import type { OpenCall, OpenRequest, Wait } from './open-work.ts';
import { contentPhase } from './open-work.ts';
import { PhaseGap } from './phase-gap.ts';
import type { ActivityKind, ContentKind, ErrorReport, Phase } from './signal.ts';

/**
 * A pending provider error is past when the turn goes on with a newer request, call or content. A step, a wait or the
 * end of a request or call show only that the agent's own code runs (RULES 5).
 */
const showsGoingOn: ReadonlySet<ActivityKind> = new Set(['request_started', 'chunk', 'tool_started']);

/** A model that is asked or answers shows that the turn waits for nothing any more. */
const endsAnyWait: ReadonlySet<ActivityKind> = new Set(['request_started', 'chunk']);

/**
 * The live state of one turn and the rules by which it changes (RULES 2). Knows no clock and sends nothing: every method
 * is told its instant on the turn clock.
 */
export class TurnState {
  phase: Phase = 'agent';
  phaseA: number;
  lastA: number;
  lastKind: ActivityKind = 'turn_started';
  firstA: number | undefined;
  lastContentA: number | undefined;
  productiveA: number;
  completedA: number | undefined;
  failedA: number | undefined;
  handover = false;
  compacting = false;
  error: ErrorReport | undefined;
  chunks = 0;
  /** Oldest first. */
  readonly requests: Map<string, OpenRequest> = new Map();
  readonly calls: Map<string, OpenCall> = new Map();
  /** By call; '' is a wait of the whole turn. */
  readonly waits: Map<string, Wait> = new Map();
  newest: OpenRequest | undefined;
  readonly gap: PhaseGap;
  /** Whose phase it is: two requests in `first_token` are two phases. */
  #phaseOf: OpenRequest | undefined;

  constructor(startedA: number) {
    this.phaseA = startedA;
    this.lastA = startedA;
    this.firstA = startedA;
    this.productiveA = startedA;
    this.gap = new PhaseGap(startedA);
  }

  /** Something of the turn's own moved: ends a handover. Evidence never comes here (RULES 2). */
  act(kind: ActivityKind, a: number): void {
    this.#measure(a);
    this.lastA = a;
    this.lastKind = kind;
    this.firstA ??= a;
    this.handover = false;
    if (showsGoingOn.has(kind)) this.error = undefined;
  }

  /**
   * As {@link act}, by work. A wait for a retry or a limit is over with any work; one for a person, a schedule or a child
   * only with the model's: tools and steps may run beside it.
   */
  work(kind: ActivityKind, a: number): void {
    this.act(kind, a);
    const wait = this.waits.get('');
    if (wait === undefined) return;
    if (endsAnyWait.has(kind) || wait.for === 'retry' || wait.for === 'rate_limit') this.endWait('', a);
  }

  /** Content, once a chunk: nothing is allocated, and the phase is looked at only when it can have changed. */
  content(kind: ContentKind, request: OpenRequest | undefined, a: number): void {
    this.chunks++;
    this.#measure(a);
    this.lastA = a;
    this.lastKind = 'chunk';
    if (this.firstA === undefined) this.firstA = a;
    this.lastContentA = a;
    this.productiveA = a;
    const settled = this.error === undefined && !this.handover && this.waits.size === 0;
    if (settled && (request === undefined || request.phase === kind)) return;
    this.work('chunk', a);
    if (request !== undefined) {
      request.contentA ??= a;
      request.phase = contentPhase(request, kind);
    }
    this.settle(a);
  }

  /** A request, or the turn itself, has come to its good end. */
  complete(a: number): void {
    this.act('request_ended', a);
    this.completedA = a;
    this.productiveA = a;
  }

  /** A failed or cancelled end. */
  fail(a: number): void {
    this.act('request_failed', a);
    this.failedA = a;
  }

  open(request: OpenRequest): void {
    this.requests.set(request.id, request);
    this.newest = request;
  }

  close(request: OpenRequest): void {
    this.requests.delete(request.id);
    if (this.newest !== request) return;
    this.newest = undefined;
    for (const open of this.requests.values()) this.newest = open;
  }

  startWait(wait: Wait): void {
    this.waits.set(wait.call ?? '', wait);
    this.handover = false;
  }

  /** The graces that it had stopped start anew at its end. */
  endWait(call: string, a: number): boolean {
    if (!this.waits.delete(call)) return false;
    this.gap.skip(a);
    for (const open of this.calls.values()) if (call === '' || open.id === call) open.quietSinceA = a;
    return true;
  }

  /**
   * Ends the waits whose `until` has passed. The turn itself is handed back to its agent: phase `agent` under the
   * handover threshold, unless calls are open or the history is compacted, which have rules of their own.
   *
   * @param notBeforeA when the turn was last seen waiting: an `until` that passed in the host's sleep counts from there.
   */
  endDueWaits(bootMs: number, a: number, notBeforeA: number): void {
    for (const [call, wait] of this.waits) {
      if (wait.untilMs === undefined || wait.untilMs > bootMs) continue;
      const endedA = Math.max(notBeforeA, wait.sinceA, a - (bootMs - wait.untilMs));
      this.endWait(call, endedA);
      this.handover = call === '' && this.calls.size === 0 && !this.compacting;
      this.settle(endedA);
    }
  }

  closeAll(a: number): void {
    this.endGaps(a);
    this.requests.clear();
    this.calls.clear();
    this.waits.clear();
    this.newest = undefined;
    this.compacting = false;
    this.handover = false;
    this.error = undefined;
  }

  /** No phase of this turn is measured any more. */
  endGaps(a: number): void {
    this.gap.close(this.phase, a, this.waits.size > 0);
  }

  /** In a wait nothing is expected to move. */
  #measure(a: number): void {
    if (this.waits.size > 0) this.gap.skip(a);
    else this.gap.measure(a);
  }

  /**
   * The wait as a report can say it. Two and more calls that wait while nothing streams are told as one wait of the whole
   * turn: a report names one call only, and a call that waits for a person must not run out of grace.
   */
  wait(): Wait | undefined {
    const whole = this.waits.get('');
    if (whole !== undefined || this.waits.size === 0) return whole;
    const [oldest] = this.waits.values();
    if (oldest === undefined || this.waits.size === 1 || this.newest !== undefined) return oldest;
    return { for: oldest.for, sinceA: oldest.sinceA };
  }

  /** Brings the phase up to date; a change begins at `a`. */
  settle(a: number): void {
    const wait = this.waits.size > 0 ? this.wait() : undefined;
    const { newest } = this;
    let phase: Phase = 'agent';
    let phaseOf: OpenRequest | undefined;
    if (wait !== undefined && wait.call === undefined) phase = 'waiting';
    else if (this.compacting) phase = 'compacting';
    else if (this.handover) phase = 'agent';
    else if (newest !== undefined) {
      phase = newest.phase;
      phaseOf = newest;
    } else if (this.calls.size > 0) phase = 'tool';
    if (phase === this.phase && phaseOf === this.#phaseOf) return;
    this.gap.end(this.phase, a);
    this.phase = phase;
    this.phaseA = a;
    this.#phaseOf = phaseOf;
  }
}
