import type { Phase, SettledOutcome, TurnIdentity } from './signal.ts';
import type { WallMs } from './time.ts';

// Verdicts as data. packages/protocol makes the webhook document of PROTOCOL 3 from them.

export type StaleReason =
  | 'silence'
  | 'engine_only'
  | 'tool_silence'
  | 'lost_completion'
  | 'no_content'
  | 'process_exited'
  | 'process_unreachable'
  | 'process_blocked'
  | 'provider_error';

/** `operator`: set for this turn by a person. */
export type ThresholdSource = 'measured' | 'default' | 'operator';

/** `proven`: by a newer heartbeat of the turn's own process. `coarse`: by arrival, for producers without heartbeats. */
export type Precision = 'proven' | 'coarse';

/** A tool call that stood open when the verdict was made (report 001: diagnostics must be truthful). */
export interface PendingCall {
  readonly id: string;
  readonly name?: string;
  readonly ageMs: number;
  readonly quietMs: number;
  readonly graceMs: number;
  readonly updates: number;
  /** Past its grace, or within 5 s of it. */
  readonly expired: boolean;
}

export interface StaleDetails {
  readonly reason: StaleReason;
  readonly phase: Phase;
  /** From 1; a stall after a recovery is a new episode. */
  readonly episode: number;
  readonly lastActivityAtMs: WallMs;
  readonly lastActivityKind: string;
  readonly staleSinceMs: WallMs;
  readonly suspectAtMs?: WallMs;
  readonly silenceMs: number;
  readonly thresholdMs: number;
  readonly thresholdSource: ThresholdSource;
  readonly confirmMs: number;
  /** What of `thresholdMs` was the lag of the turn's path; absent: none, or an older state that does not tell. */
  readonly lagMs?: number;
  readonly largestHealthyGapMs: number | null;
  readonly samples: number;
  readonly falseFlagEstimate: number | null;
  readonly precision: Precision;
  readonly pendingCalls: readonly PendingCall[];
}

export interface ExpiredDetails {
  readonly expiresAtMs: WallMs;
  readonly settledAtMs: WallMs;
  readonly stateBefore: 'running' | 'suspect' | 'stale';
  /** The horizon was the detector's default, not the producer's. */
  readonly byDefault: boolean;
  readonly phase: Phase;
  readonly episode: number;
  readonly lastActivityAtMs: WallMs;
  readonly lastActivityKind: string;
  readonly pendingCalls: readonly PendingCall[];
}

export interface RecoveredDetails {
  readonly reason: StaleReason;
  readonly episode: number;
  readonly staleSinceMs: WallMs;
  readonly recoveredAtMs: WallMs;
  /** How long the mistake lasted (T_M). */
  readonly staleForMs: number;
  readonly by: string;
}

interface TurnEventBase {
  readonly turn: string;
  readonly attempt: number;
  readonly identity: TurnIdentity;
  readonly atMs: WallMs;
  /** False: `managedBy` is set, nobody is told; the verdict stands everywhere else (report 002, point 7). */
  readonly tellsParent: boolean;
  /** The nearest open ancestor that is not stale itself; null: the default endpoints. */
  readonly recipient: string | null;
}

export type TurnEvent =
  | (TurnEventBase & { readonly type: 'turn.stale'; readonly stale: StaleDetails })
  | (TurnEventBase & { readonly type: 'turn.suspect'; readonly stale: StaleDetails })
  | (TurnEventBase & { readonly type: 'turn.expired'; readonly expired: ExpiredDetails })
  | (TurnEventBase & { readonly type: 'turn.recovered'; readonly recovered: RecoveredDetails })
  | (TurnEventBase & {
      readonly type: 'request.expired';
      readonly request: string;
      readonly expiresAtMs: WallMs;
      readonly phase: Phase;
    });

export interface SourceSilentEvent {
  readonly type: 'source.silent';
  readonly path: string;
  readonly sinceMs: WallMs;
  readonly atMs: WallMs;
  readonly turns: number;
}

/** What a transition asks the shell to do. */
export type Effect =
  | { readonly kind: 'publish'; readonly event: TurnEvent | SourceSilentEvent }
  /** The turn changed in a way that must be durable before anything is acknowledged or told. */
  | { readonly kind: 'keep'; readonly turn: string }
  /** A baseline learned something. */
  | { readonly kind: 'learned'; readonly key: string }
  | {
      readonly kind: 'count';
      readonly what: 'late_settlement' | 'id_conflict' | 'foreign_owner' | 'confirmed' | 'refuted';
    }
  | {
      readonly kind: 'ended';
      readonly turn: string;
      readonly attempt: number;
      readonly outcome: SettledOutcome;
    };
