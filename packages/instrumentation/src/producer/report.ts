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

/** The state as every record of the turn carries it. Instants are whole ms. */
export function reportOf(state: TurnState, clock: ReportClock): TurnReport {
  const { newest, error } = state;
  const wait = state.wait();
  const ms = Math.round;
  return {
    phase: state.phase,
    phaseA: ms(state.phaseA),
    lastA: ms(state.lastA),
    lastKind: state.lastKind,
    ...(state.firstA === undefined ? {} : { firstA: ms(state.firstA) }),
    ...(state.lastContentA === undefined ? {} : { lastContentA: ms(state.lastContentA) }),
    productiveA: ms(state.productiveA),
    ...(state.completedA === undefined ? {} : { completedA: ms(state.completedA) }),
    ...(state.failedA === undefined ? {} : { failedA: ms(state.failedA) }),
    ...(newest?.progressA === undefined ? {} : { progressA: ms(newest.progressA) }),
    ...(newest?.keepaliveA === undefined ? {} : { keepaliveA: ms(newest.keepaliveA) }),
    ...(clock.wokeA === undefined ? {} : { wokeA: ms(clock.wokeA) }),
    handover: state.handover,
    requests: Array.from(state.requests.values(), (request) => requestReport(request, clock.bootMs)),
    calls: Array.from(state.calls.values(), callReport),
    ...(wait === undefined
      ? {}
      : {
          waiting: {
            for: wait.for,
            sinceA: ms(wait.sinceA),
            ...(wait.untilMs === undefined ? {} : { untilInMs: leftMs(wait.untilMs, clock.bootMs) }),
            ...(wait.call === undefined ? {} : { call: wait.call }),
          },
        }),
    ...(error === undefined ? {} : { error: { ...error, atA: ms(error.atA) } }),
    ...(clock.deadlineMs === undefined ? {} : { expiresInMs: leftMs(clock.deadlineMs, clock.bootMs) }),
    ...(newest?.read === undefined
      ? {}
      : {
          promptRead: { read: newest.read, ...(newest.total === undefined ? {} : { total: newest.total }) },
        }),
    chunks: state.chunks,
  };
}

function requestReport(request: OpenRequest, bootMs: number): RequestReport {
  return {
    id: request.id,
    startedA: Math.round(request.startedA),
    streaming: request.streaming,
    ...(request.promptTokens === undefined ? {} : { promptTokens: request.promptTokens }),
    ...(request.contentA === undefined ? {} : { contentA: Math.round(request.contentA) }),
    ...(request.deadlineMs === undefined ? {} : { expiresInMs: leftMs(request.deadlineMs, bootMs) }),
  };
}

function callReport(call: OpenCall): CallReport {
  return {
    id: call.id,
    ...(call.name === undefined ? {} : { name: call.name }),
    startedA: Math.round(call.startedA),
    quietSinceA: Math.round(call.quietSinceA),
    ...(call.timeoutMs === undefined ? {} : { timeoutMs: call.timeoutMs }),
    updates: call.updates,
    ...(call.childTurn === undefined ? {} : { childTurn: call.childTurn }),
  };
}
