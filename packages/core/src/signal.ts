import type { AwakeMs, Stamp } from './time.ts';

// What producers say, after decoding. The wire form of these is packages/protocol; nothing here knows OTLP.

export type Phase =
  | 'queued'
  | 'first_token'
  | 'reasoning'
  | 'text'
  | 'tool_args'
  | 'non_streaming'
  | 'compacting'
  | 'agent'
  | 'idle'
  | 'tool'
  | 'waiting';

/** Kinds of content; each is a phase of its own (RULES 2). */
export type ContentKind = 'text' | 'reasoning' | 'tool_args';
export type WaitingFor = 'approval' | 'input' | 'rate_limit' | 'schedule' | 'child' | 'retry';
export type Outcome = 'completed' | 'failed' | 'cancelled' | 'unknown';
/** How a turn has settled. `closed`: by an operator; no producer says it. */
export type SettledOutcome = Outcome | 'closed';
export type Route = 'api' | 'local';
export type HostClass = 'server' | 'portable';

/** What moved last. Evidence (keep-alives, prompt reads) is not activity and never appears here. */
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
  | 'compaction_ended'
  | 'provider_error';

/** Where a record comes from and when it was made. Owner of a turn = (process, boot, incarnation). */
export interface Origin {
  /** Random at each start unless the user pins it to one exclusive slot. */
  readonly process: string;
  readonly boot: string;
  /** Grows with every record of this boot: it orders records of one owner, whatever the pipeline did. */
  readonly seq: number;
  /** The producer's turn clock at the instant of the record. */
  readonly a: Stamp;
  /** The producer's wall clock, ms since the epoch. Shown to people, never judged by. */
  readonly wallMs?: number;
}

/** What does not change within one attempt of a turn. Sent at the start and again every 10 s. */
export interface TurnIdentity {
  readonly parentId?: string;
  readonly parentCallId?: string;
  readonly conversationId?: string;
  readonly agent?: string;
  readonly service?: string;
  readonly provider?: string;
  readonly model?: string;
  /** Default `api`. Evidence of a local engine counts on `local` only. */
  readonly route?: Route;
  readonly engineId?: string;
  /** Who else watches this turn; set = no message to the parent (report 002, point 7). */
  readonly managedBy?: string;
  readonly traceId?: string;
  /** The producer's wall clock at the start, ms since the epoch. */
  readonly startedAtMs?: number;
  /** The horizon as a wall instant of the producer, ms since the epoch. Shown only; see `expiresInMs`. */
  readonly expiresAtMs?: number;
}

export interface RequestReport {
  readonly id: string;
  readonly startedA: Stamp;
  readonly streaming: boolean;
  /** Uncached prompt tokens where known. */
  readonly promptTokens?: number;
  /** First content; absent before it. Headers, roles and lifecycle events are not content. */
  readonly contentA?: Stamp;
  /** Time left to the request's own horizon when the record was made; may be negative. */
  readonly expiresInMs?: number;
}

export interface CallReport {
  readonly id: string;
  readonly name?: string;
  readonly startedA: Stamp;
  /** Creation or the call's own last non-terminal update. */
  readonly quietSinceA: Stamp;
  /** Declared by the tool. */
  readonly timeoutMs?: number;
  /** How many non-terminal updates the call has sent. */
  readonly updates: number;
  readonly childTurn?: string;
}

export interface WaitingReport {
  readonly for: WaitingFor;
  readonly sinceA: Stamp;
  /** Time left when the record was made. The producer itself turns the phase to `agent` when it has passed. */
  readonly untilInMs?: number;
  /** Only this call's grace stops; absent: all graces and the silence clock stop. */
  readonly call?: string;
}

export interface ErrorReport {
  readonly type: string;
  readonly retryable: boolean;
  readonly atA: Stamp;
}

/**
 * The whole live state of a turn, cumulative: any one newer report is a complete proof, so that lost, late, doubled and
 * reordered records are harmless (RULES 1). Every record of a turn that our SDK sends carries one.
 */
export interface TurnReport {
  readonly phase: Phase;
  readonly phaseA: Stamp;
  readonly lastA: Stamp;
  readonly lastKind: ActivityKind;
  /** The first activity since the previous report: closes the gap before it to the millisecond, for learning. */
  readonly firstA?: Stamp;
  readonly lastContentA?: Stamp;
  /** Newest of content, completed request, own progress, agent step (rule `no_content`). */
  readonly productiveA: Stamp;
  /** Newest completed request: with content and own progress it is what ends `no_content`. */
  readonly completedA?: Stamp;
  /** Newest failed or cancelled end: it confirms a verdict instead of refuting it. */
  readonly failedA?: Stamp;
  /** Rank 1: the open request's own prompt-read or generated counter moved. */
  readonly progressA?: Stamp;
  /** Rank 3: SSE comment, ping, empty delta or lifecycle event on the open request's stream. */
  readonly keepaliveA?: Stamp;
  /** Last wake after a pause of `longPauseMs` or more: the silence window starts anew there. */
  readonly wokeA?: Stamp;
  /** True from the end of a wait's `until` to the first activity: phase `agent`, threshold `handoverMs`. */
  readonly handover: boolean;
  readonly requests: readonly RequestReport[];
  readonly calls: readonly CallReport[];
  readonly waiting?: WaitingReport;
  readonly error?: ErrorReport;
  /** Time left to the turn's horizon when the record was made; may be negative; absent: no horizon. */
  readonly expiresInMs?: number;
  /** Prompt read progress for people: tokens read, tokens in all. */
  readonly promptRead?: { readonly read: number; readonly total?: number };
  /** Chunks of content so far, for people. */
  readonly chunks: number;
}

/** What one record of a turn tells beside its report. Producers without heartbeats send only these. */
export type Happening =
  | { readonly name: 'heartbeat' }
  | { readonly name: 'started' }
  | { readonly name: 'adopted' }
  | { readonly name: 'ended'; readonly outcome: Outcome; readonly errorType?: string }
  | { readonly name: 'step'; readonly step?: string }
  /** Nothing is open, and the producer does not tell whether the turn has ended, waits for a person or goes on. */
  | { readonly name: 'idle' }
  | {
      readonly name: 'request_started';
      readonly request: string;
      readonly streaming: boolean;
      readonly promptTokens?: number;
      readonly expiresInMs?: number;
    }
  | {
      readonly name: 'request_ended';
      readonly request: string;
      readonly outcome: Outcome;
      readonly retryable?: boolean;
      readonly retryInMs?: number;
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
  /** From 1. A new attempt closes the one before. */
  readonly attempt: number;
  /** From 1. A start or adoption with a higher one takes the turn over. */
  readonly incarnation: number;
  readonly origin: Origin;
  readonly happening: Happening;
  readonly identity?: TurnIdentity;
  /** Absent: a producer without heartbeats, judged coarsely. */
  readonly report?: TurnReport;
}

export interface EndedTurn {
  readonly turn: string;
  readonly attempt: number;
  readonly outcome: Outcome;
}

export type ProcessSignal = {
  readonly type: 'process';
  readonly origin: Origin;
} & (
  | {
      readonly name: 'started' | 'heartbeat';
      readonly wokeA?: Stamp;
      /** How long the main loop has been stuck, as a worker thread sees it; 0 where the main thread beats. */
      readonly loopAgeMs: number;
      /** A worker thread beats: silence then is not a blocked main loop. */
      readonly worker: boolean;
      readonly hostClass: HostClass;
      readonly service?: string;
      /** Ids of the open turns. Proof of an end for every other turn only if its length equals `openCount`. */
      readonly openTurns: readonly string[];
      readonly openCount: number;
      /** Turns that ended in the last 60 s. */
      readonly endedTurns: readonly EndedTurn[];
    }
  | { readonly name: 'suspending' }
  | { readonly name: 'exiting'; readonly code?: number }
  | {
      /** From a supervisor that saw the exit: `origin` is the supervisor's, `exited` the process that is gone. */
      readonly name: 'exited';
      readonly exited: string;
      readonly code?: number;
      readonly signal?: string;
    }
);

export interface EngineSlot {
  readonly id: number;
  /** The turn whose request runs in this slot, where the engine or the probe knows it. */
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

/** The detector's own probe through a path, come back as ingest. */
export interface CanarySignal {
  readonly type: 'canary';
  readonly path: string;
  readonly id: string;
  /** When it was sent, on the detector's own awake clock; never on the wire. Without it: as it comes in. */
  readonly sentAwakeMs?: AwakeMs;
}

export type Signal = TurnSignal | ProcessSignal | EngineSignal | CanarySignal;
