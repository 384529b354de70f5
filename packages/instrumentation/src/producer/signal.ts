import type { Usage } from '../stream/dialect/reading.ts';

// What a producer says. The same shapes as the detector's core takes in, written out here once more so that the published
// declarations need no other package; `emit.ts` does not compile when the two drift apart. Instants ending in `A` are ms
// on the producer's turn clock.

export type Phase =
  | 'queued'
  | 'first_token'
  | 'reasoning'
  | 'text'
  | 'tool_args'
  | 'non_streaming'
  | 'compacting'
  | 'agent'
  | 'tool'
  | 'waiting';

/** Kinds of content. Headers, roles and lifecycle events are not content. */
export type ContentKind = 'text' | 'reasoning' | 'tool_args';
export type WaitingFor = 'approval' | 'input' | 'rate_limit' | 'schedule' | 'child' | 'retry';
export type Outcome = 'completed' | 'failed' | 'cancelled' | 'unknown';
export type Route = 'api' | 'local';
export type HostClass = 'server' | 'portable';

export type ActivityKind =
  | 'turn_started'
  | 'request_started'
  | 'request_ended'
  | 'request_failed'
  | 'chunk'
  | 'tool_started'
  | 'tool_ended'
  | 'agent_step'
  | 'waiting_started'
  | 'waiting_ended'
  | 'compaction_started'
  | 'compaction_ended';

export interface Origin {
  readonly process: string;
  readonly boot: string;
  readonly seq: number;
  readonly a: number;
  readonly wallMs: number;
}

export interface TurnIdentity {
  readonly parentId?: string;
  readonly parentCallId?: string;
  readonly conversationId?: string;
  readonly agent?: string;
  readonly service?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly route?: Route;
  readonly engineId?: string;
  readonly managedBy?: string;
  readonly traceId?: string;
  readonly startedAtMs?: number;
  readonly expiresAtMs?: number;
}

export interface RequestReport {
  readonly id: string;
  readonly startedA: number;
  readonly streaming: boolean;
  readonly promptTokens?: number;
  readonly contentA?: number;
  readonly expiresInMs?: number;
}

export interface CallReport {
  readonly id: string;
  readonly name?: string;
  readonly startedA: number;
  /** Creation, the call's own last update, or the end of a wait that had stopped its grace. */
  readonly quietSinceA: number;
  readonly timeoutMs?: number;
  readonly updates: number;
  readonly childTurn?: string;
}

export interface WaitingReport {
  readonly for: WaitingFor;
  readonly sinceA: number;
  readonly untilInMs?: number;
  readonly call?: string;
}

export interface ErrorReport {
  readonly type: string;
  readonly retryable: boolean;
  readonly atA: number;
}

/** The whole live state of a turn: any one newer report is a complete proof. */
export interface TurnReport {
  readonly phase: Phase;
  readonly phaseA: number;
  readonly lastA: number;
  readonly lastKind: ActivityKind;
  readonly firstA?: number;
  readonly lastContentA?: number;
  readonly productiveA: number;
  /** Newest completed request. */
  readonly completedA?: number;
  readonly failedA?: number;
  readonly progressA?: number;
  readonly keepaliveA?: number;
  readonly wokeA?: number;
  readonly handover: boolean;
  /** Oldest first: the phase is that of the last. */
  readonly requests: readonly RequestReport[];
  readonly calls: readonly CallReport[];
  readonly waiting?: WaitingReport;
  readonly error?: ErrorReport;
  readonly expiresInMs?: number;
  readonly promptRead?: { readonly read: number; readonly total?: number };
  readonly chunks: number;
}

export type Happening =
  | { readonly name: 'heartbeat' }
  | { readonly name: 'started' }
  | { readonly name: 'ended'; readonly outcome: Outcome; readonly errorType?: string }
  | { readonly name: 'step'; readonly step?: string }
  | {
      readonly name: 'request_started';
      readonly request: string;
      readonly streaming: boolean;
      readonly promptTokens?: number;
      readonly expiresInMs?: number;
      /** Not on the wire, as `model`, `errorType` and `usage` of its end: for spans and metrics. */
      readonly provider?: string;
      readonly model?: string;
    }
  | {
      readonly name: 'request_ended';
      readonly request: string;
      readonly outcome: Outcome;
      readonly retryable?: boolean;
      readonly retryInMs?: number;
      readonly errorType?: string;
      readonly usage?: Usage;
    }
  | {
      readonly name: 'first_chunk';
      readonly request?: string;
      readonly kind: ContentKind;
      readonly ttftMs?: number;
      readonly promptTokens?: number;
    }
  | { readonly name: 'chunk'; readonly kind: ContentKind; readonly request?: string }
  | { readonly name: 'lifecycle'; readonly event?: string }
  | { readonly name: 'keepalive'; readonly request?: string }
  | {
      readonly name: 'prompt_read';
      readonly read: number;
      readonly total?: number;
      readonly request?: string;
    }
  | {
      readonly name: 'tool_started';
      readonly call: string;
      readonly tool?: string;
      readonly timeoutMs?: number;
    }
  | { readonly name: 'tool_progress'; readonly call: string }
  | { readonly name: 'tool_ended'; readonly call: string; readonly outcome: Outcome }
  | {
      readonly name: 'waiting';
      readonly for: WaitingFor;
      readonly untilInMs?: number;
      readonly call?: string;
    }
  | { readonly name: 'resumed' }
  | { readonly name: 'compaction_started' }
  | { readonly name: 'compaction_ended' }
  | {
      readonly name: 'provider_error';
      readonly errorType?: string;
      readonly retryable: boolean;
      readonly retryInMs?: number;
    };

export interface TurnSignal {
  readonly type: 'turn';
  readonly turn: string;
  readonly attempt: number;
  readonly incarnation: number;
  readonly origin: Origin;
  readonly happening: Happening;
  readonly identity?: TurnIdentity;
  readonly report: TurnReport;
}

export interface EndedTurn {
  readonly turn: string;
  readonly attempt: number;
  readonly outcome: Outcome;
}

export type ProcessSignal = { readonly type: 'process'; readonly origin: Origin } & (
  | {
      readonly name: 'started' | 'heartbeat';
      readonly wokeA?: number;
      readonly loopAgeMs: number;
      readonly worker: boolean;
      readonly hostClass: HostClass;
      readonly service?: string;
      readonly openTurns: readonly string[];
      readonly openCount: number;
      readonly endedTurns: readonly EndedTurn[];
    }
  | { readonly name: 'suspending' }
  | { readonly name: 'exiting'; readonly code?: number }
  | {
      /** From a supervisor that saw the exit of another process. */
      readonly name: 'exited';
      readonly exited: string;
      readonly code?: number;
      readonly signal?: string;
    }
);

export interface EngineSlot {
  readonly id: number;
  /** The turn whose request runs in this slot, where it is known. */
  readonly turn?: string;
  readonly read: number;
  readonly generated: number;
}

export interface EngineSignal {
  readonly type: 'engine';
  readonly origin: Origin;
  readonly engine: string;
  readonly state: 'idle' | 'busy' | 'unloaded' | 'unreachable';
  readonly slots: readonly EngineSlot[];
  readonly queued: number;
}

export type Signal = TurnSignal | ProcessSignal | EngineSignal;
