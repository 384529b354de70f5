import type { TurnReport } from './producer/signal.ts';

/** The part of a `turn.expired` event that is needed. */
export interface TurnExpiredEvent {
  readonly data: {
    readonly turn: { readonly id: string; readonly attempt: number };
    readonly expired: {
      readonly settledAt: string;
      readonly phase: string;
      readonly lastActivityAt: string;
      readonly lastActivityKind: string;
      readonly pendingToolCalls: readonly PendingCallFacts[];
    };
  };
}

/** What was going on when a turn or request went past its horizon. Durations on the turn clock. */
export interface ExpiryDiagnostics {
  readonly phase: string;
  /** Since the last activity. */
  readonly silenceMs: number;
  readonly lastActivityKind: string;
  /** Absent where a detector expired the turn. */
  readonly chunks?: number;
  /** Absent where a detector expired the turn. */
  readonly openRequests?: readonly string[];
  readonly pendingCalls: readonly PendingCallFacts[];
}

/** A tool call that was open. */
export interface PendingCallFacts {
  readonly id: string;
  readonly name?: string;
  readonly ageMs: number;
  /** Since the creation or the last own update of the call. */
  readonly quietMs: number;
  readonly updates: number;
  /** How long the call may be quiet, and whether it was longer: as the detector has it, absent without one. */
  readonly graceMs?: number;
  readonly expired?: boolean;
}

export interface ExpiryFacts {
  readonly scope: 'turn' | 'request';
  readonly turnId: string;
  readonly attempt: number;
  readonly requestId?: string;
  readonly diagnostics: ExpiryDiagnostics;
}

/**
 * Thrown when a turn or request passes its horizon, by `withTurn`, `withRequest` and `withToolCall` and as the reason of
 * their abort signals, also when the work itself never settles (004).
 */
export class TurnExpiredError extends Error {
  override readonly name: string = 'TurnExpiredError';
  readonly code: string = 'TURNWATCH_EXPIRED';
  readonly scope: 'turn' | 'request';
  readonly turnId: string;
  readonly attempt: number;
  readonly requestId: string | undefined;
  /** True: nothing with effects of its own was left open, so a new attempt cannot run into it. False with open calls. */
  readonly retryable: boolean;
  readonly diagnostics: ExpiryDiagnostics;

  constructor(facts: ExpiryFacts) {
    const { diagnostics, scope, turnId, attempt, requestId } = facts;
    const what =
      scope === 'turn' ? `Turn ${turnId} (attempt ${attempt})` : `Request ${requestId} of turn ${turnId}`;
    const calls = diagnostics.pendingCalls.map(({ id, name }) => name ?? id);
    super(
      `${what} passed its horizon in phase ${diagnostics.phase}, ${Math.round(diagnostics.silenceMs / 1000)} s after its last activity (${diagnostics.lastActivityKind})${calls.length === 0 ? '' : `; still pending: ${calls.join(', ')}`}`,
    );
    this.scope = scope;
    this.turnId = turnId;
    this.attempt = attempt;
    this.requestId = requestId;
    this.diagnostics = diagnostics;
    this.retryable = diagnostics.pendingCalls.length === 0;
  }

  /** From a `turn.expired` event, for the parent that is told of it. */
  static fromEvent({ data: { turn, expired } }: TurnExpiredEvent): TurnExpiredError {
    return new TurnExpiredError({
      scope: 'turn',
      turnId: turn.id,
      attempt: turn.attempt,
      diagnostics: {
        phase: expired.phase,
        silenceMs: Math.max(0, Date.parse(expired.settledAt) - Date.parse(expired.lastActivityAt)),
        lastActivityKind: expired.lastActivityKind,
        pendingCalls: expired.pendingToolCalls,
      },
    });
  }
}

/** Thrown by `withRequest` when a request with the same id is still executing: starting it twice doubles its work (004). */
export class RequestStillRunningError extends Error {
  override readonly name: string = 'RequestStillRunningError';
  readonly code: string = 'TURNWATCH_REQUEST_STILL_RUNNING';
  readonly turnId: string;
  readonly requestId: string;

  constructor(turnId: string, requestId: string) {
    super(
      `Request ${requestId} of turn ${turnId} is still executing; await its end or start it under another id`,
    );
    this.turnId = turnId;
    this.requestId = requestId;
  }
}

export function diagnose(report: TurnReport, a: number): ExpiryDiagnostics {
  const since = (stampA: number): number => Math.max(0, Math.round(a - stampA));
  return {
    phase: report.phase,
    silenceMs: since(report.lastA),
    lastActivityKind: report.lastKind,
    chunks: report.chunks,
    openRequests: report.requests.map(({ id }) => id),
    pendingCalls: report.calls.map((call) => ({
      id: call.id,
      ...(call.name === undefined ? {} : { name: call.name }),
      ageMs: since(call.startedA),
      quietMs: since(call.quietSinceA),
      updates: call.updates,
    })),
  };
}

/** Class of an error for `error.type`: a code or a name, never a message, which may hold a prompt. */
export function errorTypeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return typeof error;
  if ('code' in error && typeof error.code === 'string' && error.code !== '') return error.code;
  if ('name' in error && typeof error.name === 'string' && error.name !== '') return error.name;
  return 'Error';
}

export function isAbort(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === 'AbortError';
}
