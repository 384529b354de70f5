import type { PendingCall, Precision, StaleReason, ThresholdSource } from './event.ts';
import type { HostClass, Outcome, Phase, TurnIdentity, WaitingFor } from './signal.ts';
import type { WallMs } from './time.ts';

export type TurnStateName = 'running' | 'suspect' | 'stale' | 'expired' | 'ended';

/** A turn as `GET /v1/turns/:id` and the live page show it; computed at reading time, never stored. */
export interface TurnView {
  readonly id: string;
  readonly attempt: number;
  readonly incarnation: number;
  readonly identity: TurnIdentity;
  readonly process: string;
  readonly path: string;
  readonly state: TurnStateName;
  readonly reason: StaleReason | null;
  readonly outcome: Outcome | null;
  readonly episode: number;
  readonly phase: Phase;
  readonly waiting: { readonly for: WaitingFor; readonly call?: string; readonly sinceMs: WallMs } | null;
  readonly silenceMs: number;
  readonly thresholdMs: number;
  readonly thresholdSource: ThresholdSource;
  readonly confirmMs: number;
  /** How old the newest record is that proves the silence, ms of the detector's awake time; 0 without heartbeats. */
  readonly heardAgoMs: number;
  readonly lastActivityAtMs: WallMs;
  readonly lastActivityKind: string;
  readonly startedAtMs: WallMs;
  readonly staleSinceMs: WallMs | null;
  readonly suspectSinceMs: WallMs | null;
  readonly settledAtMs: WallMs | null;
  /** On the detector's wall clock; null: none known yet. */
  readonly expiresAtMs: WallMs | null;
  readonly expiresByDefault: boolean;
  readonly precision: Precision;
  readonly calls: readonly PendingCall[];
  readonly expiredCalls: readonly string[];
  readonly openRequests: readonly string[];
  readonly promptRead: { readonly read: number; readonly total?: number } | null;
  readonly chunks: number;
}

export interface ProcessView {
  readonly id: string;
  readonly boot: string;
  readonly service: string | null;
  readonly path: string;
  readonly hostClass: HostClass;
  readonly worker: boolean;
  readonly heardAgoMs: number;
  readonly loopAgeMs: number;
  readonly openTurns: number;
  readonly state: 'live' | 'unreachable' | 'exited' | 'suspended';
}
