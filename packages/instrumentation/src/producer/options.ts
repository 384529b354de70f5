import type { Usage } from '../stream/dialect/reading.ts';
import type { EngineSlot, Outcome, Route, WaitingFor } from './signal.ts';

/** A turn to be. */
export interface TurnOptions {
  /** Globally unique. Default: random. */
  readonly id?: string | undefined;
  /** From 1; a new attempt closes the one before. Default 1. */
  readonly attempt?: number | undefined;
  /** From 1; a higher one takes the turn over from another process. Default 1. */
  readonly incarnation?: number | undefined;
  /** The turn that started this one and is told when it stops. */
  readonly parentId?: string | undefined;
  /** The tool call of the parent that waits for this turn. */
  readonly parentCallId?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly agent?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  /** `local`: the model runs on an engine near by, so that its own progress is evidence. Default `api`. */
  readonly route?: Route | undefined;
  readonly engineId?: string | undefined;
  /** The horizon: ms from now. Wins over `expiresAtMs`. Default: none. */
  readonly expiresInMs?: number | undefined;
  /** The horizon as a wall instant, ms since the epoch. */
  readonly expiresAtMs?: number | undefined;
  /** Who else watches this turn; set: the parent is not told. */
  readonly managedBy?: string | undefined;
  /** 32 hex digits; on every record of the turn. */
  readonly traceId?: string | undefined;
  /** 16 hex digits: the span the records belong to. */
  readonly spanId?: string | undefined;
}

export interface RequestOptions {
  /** Shown in its span and metrics. Default: that of the turn. */
  readonly provider?: string | undefined;
  /** As `provider`. */
  readonly model?: string | undefined;
  /** Unique within the turn. Default: random. */
  readonly id?: string | undefined;
  /** Default true. */
  readonly streaming?: boolean | undefined;
  /** Uncached prompt tokens, where known. */
  readonly promptTokens?: number | undefined;
  /** The request's own horizon: ms from now. Wins over `expiresAtMs`. Default: none. */
  readonly expiresInMs?: number | undefined;
  /** The request's own horizon as a wall instant, ms since the epoch. */
  readonly expiresAtMs?: number | undefined;
}

/** When a retry is due; `retryInMs` wins. Default: 60 s from now. */
export interface RetryOptions {
  readonly retryInMs?: number | undefined;
  /** Wall clock, ms since the epoch. */
  readonly retryAtMs?: number | undefined;
}

export interface RequestEnd extends RetryOptions {
  /** Default `completed`. */
  readonly outcome?: Outcome | undefined;
  /** With an end that is not `completed`: the turn waits for its retry. Default false. */
  readonly retryable?: boolean | undefined;
  /** A class of error, never its text. In its span and metrics. */
  readonly errorType?: string | undefined;
  /** Tokens as the provider counts them. In its span and metrics. */
  readonly usage?: Usage | undefined;
}

export interface PromptRead {
  /** Prompt tokens read so far. */
  readonly read: number;
  readonly total?: number | undefined;
  readonly requestId?: string | undefined;
}

export interface ToolOptions {
  /** Unique within the turn. Default: random. */
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  /** The time-out the tool itself declares, ms: its grace is never shorter. */
  readonly timeoutMs?: number | undefined;
  /** The turn that does the work of this call. */
  readonly childTurn?: string | undefined;
}

export interface WaitingOptions {
  readonly for: WaitingFor;
  /** Ms from now. Wins over `untilMs`. Default: no end, but 60 s for `retry` and `rate_limit`. */
  readonly untilInMs?: number | undefined;
  /** Wall clock, ms since the epoch. */
  readonly untilMs?: number | undefined;
  /** The open call that waits: only its grace stops. Absent or not open: the whole turn waits. */
  readonly call?: string | undefined;
}

export interface ProviderError extends RetryOptions {
  /** A class of error, never its text: `overloaded_error`, `429`. Default `provider_error`. */
  readonly type?: string | undefined;
  /** True: the turn waits for its retry. Default false. */
  readonly retryable?: boolean | undefined;
}

export interface TurnEnd {
  /** Default `completed`. */
  readonly outcome?: Outcome | undefined;
  /** A class of error, never its text. */
  readonly errorType?: string | undefined;
}

/** What one look at a local engine showed; the readings of `@turnwatch/engines` are such. */
export interface EngineReport {
  /** `unreachable` is no evidence for or against any turn. */
  readonly state: 'idle' | 'busy' | 'unloaded' | 'unreachable';
  /** Requests that wait. Default 0. */
  readonly queued?: number | undefined;
  /** The requests that are worked on, with counters that only grow. Default none. */
  readonly slots?: readonly EngineSlot[] | undefined;
}
