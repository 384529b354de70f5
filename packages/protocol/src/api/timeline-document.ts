import type {
  ContentKind,
  Phase,
  SettledOutcome,
  StaleReason,
  ThresholdSource,
  WaitingFor,
} from '@turnwatch/core';
import type { DeliveryDocument } from './delivery-document.ts';
import type { TurnDocument } from './turn-document.ts';

// What happened in a turn, as the detector saw it. Never any content: names, kinds, sizes and instants on the detector's
// wall clock. An entry with `to: null` goes on.

interface Span {
  readonly from: string;
  readonly to: string | null;
}

export interface PhaseEntry extends Span {
  readonly kind: 'phase';
  readonly phase: Phase;
}

export interface RequestEntry extends Span {
  readonly kind: 'request';
  readonly id: string;
  readonly streaming: boolean;
  readonly promptTokens: number | null;
  readonly firstContentAt: string | null;
  readonly firstContentKind: ContentKind | null;
  /** Null: it is open, or how it ended was not told. */
  readonly outcome: SettledOutcome | null;
}

export interface ToolEntry extends Span {
  readonly kind: 'tool';
  readonly id: string;
  readonly name: string | null;
  readonly graceMs: number | null;
  readonly updates: number;
  readonly outcome: SettledOutcome | null;
}

export interface WaitEntry extends Span {
  readonly kind: 'wait';
  readonly for: WaitingFor;
  readonly call: string | null;
}

/** A silence that came near its threshold, or was longer than any before it. */
export interface GapEntry extends Span {
  readonly kind: 'gap';
  readonly ms: number;
  readonly phase: Phase;
  readonly thresholdMs: number;
}

/** Something at one instant: a start, an end, an error, a verdict. */
export interface MarkEntry {
  readonly kind: 'mark';
  readonly at: string;
  readonly what:
    | 'started'
    | 'attempt'
    | 'adopted'
    | 'ended'
    | 'provider_error'
    | 'suspect'
    | 'stale'
    | 'recovered'
    | 'expired'
    | 'request_expired'
    | 'operator';
  /** Reason, outcome, error type, request or action. */
  readonly detail: string | null;
  /** Of the verdict. */
  readonly silenceMs: number | null;
  readonly thresholdMs: number | null;
}

export type TimelineEntry = PhaseEntry | RequestEntry | ToolEntry | WaitEntry | GapEntry | MarkEntry;

/** One number of a judgement and where it comes from. */
export interface JudgedNumber {
  readonly name: string;
  /** Milliseconds where `unit` is `ms`. Null: unknown. */
  readonly value: number | null;
  readonly unit: 'ms' | 'x' | 'turns' | 'tokens' | 'share';
  readonly source: string;
}

/** Why the turn is held for what it is. */
export interface Judgement {
  /** One plain sentence. */
  readonly sentence: string;
  /** `now`: as it would be judged at this instant. `verdict`: as it was judged. */
  readonly of: 'now' | 'verdict';
  readonly reason: StaleReason | null;
  readonly thresholdSource: ThresholdSource;
  readonly numbers: readonly JudgedNumber[];
}

/** Answer of `GET /v1/turns/:id/timeline`. */
export interface TimelineDocument {
  readonly at: string;
  readonly turn: TurnDocument;
  /** `turn_start`: nothing is missing. Otherwise what came before `recordedFrom` is not here, and why. */
  readonly begins: 'turn_start' | 'detector_start' | 'first_heard' | 'dropped';
  /** Null: nothing is recorded. */
  readonly recordedFrom: string | null;
  readonly droppedEntries: number;
  readonly entries: readonly TimelineEntry[];
  readonly judgement: Judgement;
  readonly deliveries: readonly DeliveryDocument[];
  /** Whether the token of the request may acknowledge, mute and close the turn and set its threshold. */
  readonly mayOperate: boolean;
}
