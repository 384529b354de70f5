import type { Phase, Precision, StaleReason, ThresholdSource } from '@turnwatch/core';

// The documents that agents receive. All instants are ISO 8601 in UTC, all durations whole milliseconds.

export interface TurnReference {
  readonly id: string;
  readonly attempt: number;
  readonly parentId?: string;
  readonly conversationId?: string;
  readonly agent?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly startedAt?: string;
  readonly expiresAt?: string;
  /** Of the turn; the header `traceparent` is that of the delivery. */
  readonly traceId?: string;
}

export interface PendingToolCall {
  readonly id: string;
  readonly name?: string;
  readonly ageMs: number;
  /** Since the creation or the last own update of the call. */
  readonly quietMs: number;
  readonly graceMs: number;
  readonly updates: number;
  /** Past its grace, or within 5 s of it. */
  readonly expired: boolean;
}

export interface SuspicionData {
  readonly reason: StaleReason;
  readonly phase: Phase;
  /** From 1; a stall after a recovery is a new episode. */
  readonly episode: number;
  readonly lastActivityAt: string;
  readonly lastActivityKind: string;
  readonly silenceMs: number;
  readonly suspectAt?: string;
  readonly thresholdMs: number;
  readonly thresholdSource: ThresholdSource;
  readonly confirmMs: number;
  readonly largestHealthyGapMs: number | null;
  readonly samples: number;
  readonly falseFlagEstimate: number | null;
  readonly precision: Precision;
  readonly pendingToolCalls: readonly PendingToolCall[];
  /** Ids of the pending calls that are past their grace. */
  readonly expiredToolCalls: readonly string[];
}

export interface StaleData extends SuspicionData {
  readonly staleSince: string;
}

export interface ExpiredData {
  readonly expiresAt: string;
  readonly settledAt: string;
  readonly stateBefore: 'running' | 'suspect' | 'stale';
  /** Of the `turn.stale` before it, if there was one. */
  readonly staleEventId?: string;
  /** The horizon was the default of the detector. */
  readonly byDefault: boolean;
  readonly phase: Phase;
  readonly lastActivityAt: string;
  readonly lastActivityKind: string;
  readonly abort: 'requested' | 'unsupported' | 'failed';
  readonly pendingToolCalls: readonly PendingToolCall[];
}

export interface RecoveredData {
  readonly reason: StaleReason;
  readonly episode: number;
  readonly staleEventId: string;
  readonly staleSince: string;
  readonly recoveredAt: string;
  readonly staleForMs: number;
  /** What showed that the cause is gone. */
  readonly by: string;
}

interface Envelope<Type extends string, Data> {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: Type;
  readonly subject?: string;
  readonly time: string;
  /** Equal to `time`: the name that Standard Webhooks gives it. */
  readonly timestamp: string;
  /** 16 digits; grows with each event of one source. */
  readonly sequence: string;
  readonly datacontenttype: 'application/json';
  readonly dataschema: `urn:turnwatch:schema:${Type}:1`;
  readonly data: Data;
}

interface AboutTurn {
  readonly turn: TurnReference;
  /** The parent, where somebody else is told in its place. */
  readonly intendedFor?: string;
  readonly links: { readonly turn: string };
}

export type TurnStaleDocument = Envelope<'turn.stale', AboutTurn & { readonly stale: StaleData }>;
/** Its data are under `suspect`, so that no handler takes a suspicion for a verdict. */
export type TurnSuspectDocument = Envelope<'turn.suspect', AboutTurn & { readonly suspect: SuspicionData }>;
export type TurnExpiredDocument = Envelope<'turn.expired', AboutTurn & { readonly expired: ExpiredData }>;
export type TurnRecoveredDocument = Envelope<
  'turn.recovered',
  AboutTurn & { readonly recovered: RecoveredData }
>;
export type RequestExpiredDocument = Envelope<
  'request.expired',
  AboutTurn & { readonly request: { readonly id: string; readonly phase: Phase; readonly expiresAt: string } }
>;
export type SourceSilentDocument = Envelope<
  'source.silent',
  { readonly silent: { readonly path: string; readonly since: string; readonly turns: number } }
>;
export type WebhookTestDocument = Envelope<
  'webhook.test',
  { readonly endpoint: string; readonly message: string }
>;

export type WebhookEvent =
  | TurnStaleDocument
  | TurnExpiredDocument
  | TurnRecoveredDocument
  | RequestExpiredDocument
  | TurnSuspectDocument
  | SourceSilentDocument
  | WebhookTestDocument;
export type WebhookEventType = WebhookEvent['type'];
