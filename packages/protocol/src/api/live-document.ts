import type {
  Phase,
  Precision,
  SettledOutcome,
  StaleReason,
  ThresholdSource,
  TurnStateName,
  WaitingFor,
} from '@turnwatch/core';
import type { DeliveryStateName } from './delivery-document.ts';

// What `GET /v1/live` streams: rows that a screen can move by its own clock, so that a turn that only goes on says
// nothing new. Instants are ISO 8601 in UTC on the detector's wall clock, durations whole milliseconds, null is "none".

/** How the process of a turn was heard last. `quiet`: for some seconds not; nothing is concluded yet. */
export type Hearing = 'live' | 'quiet' | 'suspended' | 'unreachable' | 'exited';

/** A clock that a screen may show: `ms` at the frame, running on since `since`; null: it stands still at `ms`. */
export interface LiveClock {
  readonly ms: number;
  readonly since: string | null;
}

export interface LiveTool extends LiveClock {
  readonly id: string;
  readonly name: string | null;
  /** Null: the rule is switched off. */
  readonly graceMs: number | null;
  readonly expired: boolean;
}

/** One event for one endpoint, as far as it has come. */
export interface LiveTold {
  readonly endpoint: string;
  readonly type: string;
  readonly state: DeliveryStateName;
  readonly attempts: number;
  /** Of the last attempt, or when it was queued. */
  readonly at: string;
}

export interface LiveRow {
  readonly id: string;
  readonly attempt: number;
  /** From 0, the most urgent. */
  readonly rank: number;
  readonly state: TurnStateName;
  /** Since when it is in that state; for running turns the start. */
  readonly since: string;
  readonly reason: StaleReason | null;
  readonly outcome: SettledOutcome | null;
  readonly phase: Phase;
  readonly agent: string | null;
  readonly parentId: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly managedBy: string | null;
  readonly waiting: { readonly for: WaitingFor; readonly call: string | null; readonly since: string } | null;
  readonly promptRead: { readonly read: number; readonly total: number | null } | null;
  /** How many tool calls are open. */
  readonly calls: number;
  /** The open call that is nearest to its grace. */
  readonly tool: LiveTool | null;
  readonly silence: LiveClock & {
    readonly thresholdMs: number;
    readonly confirmMs: number;
    readonly source: ThresholdSource;
    /** False: tools or a wait are open, and the silence rule does not judge. */
    readonly judged: boolean;
  };
  readonly startedAt: string;
  readonly expiresAt: string | null;
  readonly expiresByDefault: boolean;
  readonly precision: Precision;
  readonly hearing: Hearing;
  /** When its newest record came; null while it is heard. */
  readonly heardAt: string | null;
  /** Newest first, at most three. */
  readonly told: readonly LiveTold[];
  readonly toldTotal: number;
}

/** How the detector itself does. */
export interface LiveDetector {
  readonly version: string;
  readonly startedAt: string;
  readonly ready: boolean;
  readonly tick: { readonly ok: boolean; readonly ageMs: number };
  readonly store: { readonly ok: boolean; readonly place: string; readonly error: string | null };
  /** The probe through the front door; null: it has not come back yet. */
  readonly canary: { readonly ok: boolean; readonly ageMs: number | null };
  readonly endpoints: { readonly active: number; readonly paused: number; readonly disabled: number };
  /** Deliveries still to be sent. */
  readonly backlog: number;
  readonly deadLetters: number;
}

export type LiveCounts = Readonly<Record<TurnStateName | 'waiting', number>>;

/** `event: snapshot`: everything that is to be shown. */
export interface LiveSnapshot {
  readonly at: string;
  readonly rows: readonly LiveRow[];
  /** Of all turns that may be seen, whatever the filter. */
  readonly counts: LiveCounts;
  /** How many turns fit the filter; more than the rows where only the most urgent are shown. */
  readonly matching: number;
  readonly detector: LiveDetector;
}

/** `event: change`: rows that are new or have changed, and those that are to go. */
export interface LiveChange extends LiveSnapshot {
  readonly gone: readonly string[];
}

/** `event: beat`, every two seconds in which nothing has changed. */
export interface LiveBeat {
  readonly at: string;
  readonly detector: LiveDetector;
}
