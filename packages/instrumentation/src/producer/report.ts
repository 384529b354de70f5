import { leftMs } from './deadline.ts';
import type { OpenCall, OpenRequest } from './open-work.ts';
import type { CallReport, RequestReport, TurnReport } from './signal.ts';
import type { TurnState } from './turn-state.ts';

export interface ReportClock {
  readonly bootMs: number;
  readonly wokeA: number | undefined;
  /** The turn's horizon on the boot clock. */
  readonly deadlineMs: number | undefined;
}

type Draft<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * The state as every record of the turn carries it. Instants are whole ms. Filled field by field: spreading what may be
 * absent costs several times as much, and this runs at each record and for each turn at each heartbeat.
 */
export function reportOf(state: TurnState, clock: ReportClock): TurnReport {
  const { newest } = state;
  const report: Draft<TurnReport> = {
    phase: state.phase,
    phaseA: Math.round(state.phaseA),
    lastA: Math.round(state.lastA),
    lastKind: state.lastKind,
    productiveA: Math.round(state.productiveA),
    handover: state.handover,
    requests: state.requests.size === 0 ? none : requestReports(state, clock.bootMs),
    calls: state.calls.size === 0 ? none : Array.from(state.calls.values(), callReport),
    chunks: state.chunks,
  };
  if (state.firstA !== undefined) report.firstA = Math.round(state.firstA);
  if (state.lastContentA !== undefined) report.lastContentA = Math.round(state.lastContentA);
  if (state.completedA !== undefined) report.completedA = Math.round(state.completedA);
  if (state.failedA !== undefined) report.failedA = Math.round(state.failedA);
  if (clock.wokeA !== undefined) report.wokeA = Math.round(clock.wokeA);
  if (newest !== undefined) addProgress(report, newest);
  if (state.waits.size > 0) addWait(report, state, clock.bootMs);
  if (state.error !== undefined) report.error = { ...state.error, atA: Math.round(state.error.atA) };
  if (clock.deadlineMs !== undefined) report.expiresInMs = leftMs(clock.deadlineMs, clock.bootMs);
  return report;
}

const none: readonly never[] = [];

function addProgress(report: Draft<TurnReport>, newest: OpenRequest): void {
  if (newest.progressA !== undefined) report.progressA = Math.round(newest.progressA);
  if (newest.keepaliveA !== undefined) report.keepaliveA = Math.round(newest.keepaliveA);
  if (newest.read === undefined) return;
  report.promptRead =
    newest.total === undefined ? { read: newest.read } : { read: newest.read, total: newest.total };
}

function addWait(report: Draft<TurnReport>, state: TurnState, bootMs: number): void {
  const wait = state.wait();
  if (wait === undefined) return;
  const waiting: Draft<NonNullable<TurnReport['waiting']>> = {
    for: wait.for,
    sinceA: Math.round(wait.sinceA),
  };
  if (wait.untilMs !== undefined) waiting.untilInMs = leftMs(wait.untilMs, bootMs);
  if (wait.call !== undefined) waiting.call = wait.call;
  report.waiting = waiting;
}

function requestReports(state: TurnState, bootMs: number): RequestReport[] {
  return Array.from(state.requests.values(), (request) => {
    const report: Draft<RequestReport> = {
      id: request.id,
      startedA: Math.round(request.startedA),
      streaming: request.streaming,
    };
    if (request.promptTokens !== undefined) report.promptTokens = request.promptTokens;
    if (request.contentA !== undefined) report.contentA = Math.round(request.contentA);
    if (request.deadlineMs !== undefined) report.expiresInMs = leftMs(request.deadlineMs, bootMs);
    return report;
  });
}

function callReport(call: OpenCall): CallReport {
  const report: Draft<CallReport> = {
    id: call.id,
    startedA: Math.round(call.startedA),
    quietSinceA: Math.round(call.quietSinceA),
    updates: call.updates,
  };
  if (call.name !== undefined) report.name = call.name;
  if (call.timeoutMs !== undefined) report.timeoutMs = call.timeoutMs;
  if (call.childTurn !== undefined) report.childTurn = call.childTurn;
  return report;
}
