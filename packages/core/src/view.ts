import type { PendingCall, Precision, StaleDetails, StaleReason, ThresholdSource } from './event.ts';
import type { OrderedBy, OwnThresholds } from './orders.ts';
import type { HostClass, Phase, SettledOutcome, TurnIdentity, WaitingFor } from './signal.ts';
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
  readonly outcome: SettledOutcome | null;
  readonly episode: number;
  readonly phase: Phase;
  readonly waiting: { readonly for: WaitingFor; readonly call?: string; readonly sinceMs: WallMs } | null;
  readonly silenceMs: number;
  readonly thresholdMs: number;
  readonly thresholdSource: ThresholdSource;
  readonly confirmMs: number;
  /** What of `thresholdMs` is the largest lag of its path in the last hours; 0: none, as for turns with heartbeats. */
  readonly lagMs: number;
  /** How old the newest record is that proves the silence, ms of the detector's awake time; 0 without heartbeats. */
  readonly heardAgoMs: number;
  readonly lastActivityAtMs: WallMs;
  readonly lastActivityKind: string;
  readonly startedAtMs: WallMs;
  readonly staleSinceMs: WallMs | null;
  /** What the stale verdict that stands was made by. */
  readonly verdict: StaleDetails | null;
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
  /** By an operator, for the present episode. */
  readonly acknowledged: OrderView | null;
  /** While the mute holds. `untilMs` null: until it is unmuted. */
  readonly muted: (OrderView & { readonly untilMs: WallMs | null }) | null;
  /** Where an operator closed it. */
  readonly closed: OrderView | null;
  readonly ownThresholdsMs: OwnThresholds;
}

/** An order that stands: who gave it, when, and why. */
export interface OrderView extends OrderedBy {
  readonly atMs: WallMs;
}

export interface ProcessView {
  readonly id: string;
  readonly boot: string;
  readonly service: string | null;
  readonly path: string;
  readonly hostClass: HostClass;
  /** It has heartbeats; false: telemetry of another maker, whose records prove neither life nor death. */
  readonly beats: boolean;
  readonly worker: boolean;
  /** Since its newest heartbeat or, where it has none, its newest record. */
  readonly heardAgoMs: number;
  readonly loopAgeMs: number;
  readonly openTurns: number;
  readonly state: 'live' | 'unreachable' | 'exited' | 'suspended';
}
