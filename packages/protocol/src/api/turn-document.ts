import type {
  OrderView,
  Phase,
  Precision,
  SettledOutcome,
  StaleReason,
  ThresholdSource,
  TurnStateName,
  TurnView,
  WaitingFor,
} from '@turnwatch/core';
import type { PendingToolCall } from '../event/document.ts';
import { pendingToolCall, wholeMs } from '../event/stale-data.ts';
import { isoInstant } from '../instant.ts';
import type { OrderDocument } from './order-document.ts';
import type { ToldDocument } from './told-document.ts';

/** A turn as `GET /v1/turns/:id` answers. Instants are ISO 8601 in UTC, durations whole milliseconds, null is "none". */
export interface TurnDocument {
  readonly id: string;
  readonly attempt: number;
  readonly state: TurnStateName;
  readonly stale: boolean;
  readonly staleSince: string | null;
  readonly suspectSince: string | null;
  readonly reason: StaleReason | null;
  readonly episode: number;
  /** `closed`: by an operator. */
  readonly outcome: SettledOutcome | null;
  readonly settledAt: string | null;
  readonly phase: Phase;
  readonly waiting: { readonly for: WaitingFor; readonly call: string | null; readonly since: string } | null;
  readonly silenceMs: number;
  readonly thresholdMs: number;
  readonly thresholdSource: ThresholdSource;
  readonly confirmMs: number;
  /** What of `thresholdMs` is the largest lag of its path in the last hours; 0: none, as for turns with heartbeats. */
  readonly lagMs: number;
  readonly precision: Precision;
  readonly lastActivityAt: string;
  readonly lastActivityKind: string;
  /** The open call that has been quiet longest. */
  readonly openTool: PendingToolCall | null;
  readonly calls: readonly PendingToolCall[];
  readonly openRequests: readonly string[];
  readonly promptRead: { readonly read: number; readonly total: number | null } | null;
  readonly chunks: number;
  readonly startedAt: string;
  readonly expiresAt: string | null;
  readonly expiresByDefault: boolean;
  readonly parentId: string | null;
  readonly conversationId: string | null;
  readonly agent: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly managedBy: string | null;
  readonly traceId: string | null;
  readonly process: string;
  readonly path: string;
  /** By an operator, for the present episode. */
  readonly acknowledged: OrderDocument | null;
  /** Nobody is told of it; `until` null: until it is unmuted. */
  readonly muted: (OrderDocument & { readonly until: string | null }) | null;
  readonly closed: OrderDocument | null;
  /** Thresholds that an operator set, by phase; `all` is for those that are not named. */
  readonly ownThresholdsMs: Readonly<Record<string, number>>;
  /** Who was told, and when, the newest first. Of one turn, and in lists with `include=told`. */
  readonly told?: readonly ToldDocument[];
}

export function toTurnDocument(view: TurnView, told?: readonly ToldDocument[]): TurnDocument {
  const { identity, waiting, promptRead, acknowledged, muted, closed } = view;
  const calls = view.calls.map(pendingToolCall);
  return {
    id: view.id,
    attempt: view.attempt,
    state: view.state,
    stale: view.state === 'stale',
    staleSince: isoOrNull(view.staleSinceMs),
    suspectSince: isoOrNull(view.suspectSinceMs),
    reason: view.reason,
    episode: view.episode,
    outcome: view.outcome,
    settledAt: isoOrNull(view.settledAtMs),
    phase: view.phase,
    waiting: waiting && { for: waiting.for, call: waiting.call ?? null, since: isoInstant(waiting.sinceMs) },
    silenceMs: wholeMs(view.silenceMs),
    thresholdMs: wholeMs(view.thresholdMs),
    thresholdSource: view.thresholdSource,
    confirmMs: wholeMs(view.confirmMs),
    lagMs: wholeMs(view.lagMs),
    precision: view.precision,
    lastActivityAt: isoInstant(view.lastActivityAtMs),
    lastActivityKind: view.lastActivityKind,
    openTool: calls.reduce<PendingToolCall | null>(
      (quietest, call) => (quietest === null || call.quietMs > quietest.quietMs ? call : quietest),
      null,
    ),
    calls,
    openRequests: view.openRequests,
    promptRead: promptRead && { read: promptRead.read, total: promptRead.total ?? null },
    chunks: view.chunks,
    startedAt: isoInstant(view.startedAtMs),
    expiresAt: isoOrNull(view.expiresAtMs),
    expiresByDefault: view.expiresByDefault,
    parentId: identity.parentId ?? null,
    conversationId: identity.conversationId ?? null,
    agent: identity.agent ?? null,
    provider: identity.provider ?? null,
    model: identity.model ?? null,
    managedBy: identity.managedBy ?? null,
    traceId: identity.traceId ?? null,
    process: view.process,
    path: view.path,
    acknowledged: acknowledged && orderOf(acknowledged),
    muted: muted && { ...orderOf(muted), until: isoOrNull(muted.untilMs) },
    closed: closed && orderOf(closed),
    ownThresholdsMs: view.ownThresholdsMs,
    ...(told === undefined ? {} : { told }),
  };
}

function orderOf({ by, why, atMs }: OrderView): OrderDocument {
  return { at: isoInstant(atMs), by, why };
}

function isoOrNull(wallMs: number | null): string | null {
  return wallMs === null ? null : isoInstant(wallMs);
}
