import type { ContentKind, HostClass, PolicyInput, Route, WaitingFor } from '@turnwatch/core';

// A scenario file as it is read. Times are in seconds from the scenario's zero.

type Opt<T> = T | undefined;
type SettledOutcome = 'completed' | 'failed' | 'cancelled';

interface At {
  readonly t: number;
  readonly process?: Opt<string>;
  readonly repeat?: Opt<{ readonly every: number; readonly times: number }>;
}

interface OfTurn extends At {
  readonly turn: string;
}

interface Lasting extends At {
  readonly for: number;
}

export interface ScenarioSlot {
  readonly id: number;
  readonly turn?: Opt<string | null>;
  readonly read?: Opt<number>;
  readonly generated?: Opt<number>;
}

/** What happened, by signal type. */
interface Shapes {
  'turn.started': OfTurn & {
    readonly attempt?: Opt<number>;
    readonly incarnation?: Opt<number>;
    readonly parent?: Opt<string>;
    readonly parentCall?: Opt<string>;
    readonly conversation?: Opt<string>;
    readonly agent?: Opt<string>;
    readonly provider?: Opt<string>;
    readonly model?: Opt<string>;
    readonly route?: Opt<Route>;
    readonly engine?: Opt<string>;
    readonly expiresAt?: Opt<number>;
    readonly managedBy?: Opt<string>;
  };
  'turn.ended': OfTurn & { readonly outcome?: Opt<SettledOutcome> };
  'request.started': OfTurn & {
    readonly request: string;
    readonly streaming?: Opt<boolean>;
    readonly promptTokens?: Opt<number>;
    readonly expiresAt?: Opt<number>;
  };
  'request.ended': OfTurn & {
    readonly request: string;
    readonly outcome?: Opt<SettledOutcome>;
    readonly retryable?: Opt<boolean>;
    readonly retryAt?: Opt<number>;
  };
  chunk: OfTurn & { readonly kind: ContentKind; readonly request?: Opt<string> };
  'agent.step': OfTurn & { readonly name?: Opt<string> };
  lifecycle: OfTurn & { readonly name?: Opt<string>; readonly request?: Opt<string> };
  noise: At & { readonly name?: Opt<string>; readonly turn?: Opt<string> };
  keepalive: OfTurn & { readonly request?: Opt<string> };
  'prompt.read': OfTurn & {
    readonly read: number;
    readonly total?: Opt<number>;
    readonly request?: Opt<string>;
  };
  'engine.sample': At & {
    readonly engine: string;
    readonly state: 'idle' | 'busy' | 'unloaded';
    readonly slots?: Opt<readonly ScenarioSlot[]>;
    readonly queued?: Opt<number>;
  };
  'engine.unreachable': At & { readonly engine: string };
  'tool.started': OfTurn & {
    readonly call: string;
    readonly name?: Opt<string>;
    readonly timeout?: Opt<number>;
  };
  'tool.progress': OfTurn & { readonly call: string };
  'tool.ended': OfTurn & { readonly call: string; readonly status?: Opt<SettledOutcome> };
  'compaction.started': OfTurn;
  'compaction.ended': OfTurn;
  'waiting.started': OfTurn & {
    readonly call?: Opt<string>;
    readonly for: WaitingFor;
    readonly until?: Opt<number>;
  };
  'waiting.ended': OfTurn & { readonly call?: Opt<string> };
  'process.exited': At & { readonly code?: Opt<number> };
  'process.killed': At;
  'host.slept': Lasting & { readonly announced?: Opt<boolean> };
  'process.blocked': Lasting & { readonly worker?: Opt<boolean> };
  'clock.stepped': At & { readonly by: number };
  'clock.skewed': At & { readonly by: number };
  'pipeline.delayed': Lasting;
  'pipeline.lost': Lasting;
  'pipeline.duplicated': Lasting;
  'detector.paused': Lasting;
  'detector.restarted': At & { readonly for?: Opt<number> };
  'provider.error': OfTurn & {
    readonly retryable?: Opt<boolean>;
    readonly retryAt?: Opt<number>;
    readonly name?: Opt<string>;
  };
  'settle.late': OfTurn;
}

export type SignalType = keyof Shapes;
export type SignalOf<T extends SignalType> = { [K in T]: Shapes[K] & { readonly type: K } }[T];
export type ScenarioSignal = SignalOf<SignalType>;

type State = 'running' | 'suspect' | 'stale' | 'expired' | 'ended';

/** What a right detector says of a turn: at `t`, within `staleBetween`, or at no time. */
export interface Expectation {
  readonly t?: Opt<number>;
  readonly turn: string;
  readonly state?: Opt<State | readonly State[]>;
  readonly reason?: Opt<string | readonly string[]>;
  readonly phase?: Opt<string>;
  readonly episode?: Opt<number>;
  readonly thresholdSource?: Opt<'measured' | 'default'>;
  readonly thresholdMs?: Opt<number>;
  readonly waiting?: Opt<boolean>;
  readonly expiredCalls?: Opt<readonly string[]>;
  readonly staleBetween?: Opt<readonly [number, number]>;
  readonly neverStale?: Opt<boolean>;
  readonly note?: Opt<string>;
}

export interface SeededBaseline {
  readonly provider: string;
  readonly model: string;
  /** With `+evidence` for the key of phases in which evidence came. */
  readonly phase: string;
  readonly samples: number;
  readonly maxGapMs: number;
  readonly maxPingedMs?: Opt<number>;
  readonly backoff?: Opt<number>;
}

export interface Scenario {
  readonly id: string;
  readonly title?: Opt<string>;
  readonly source?: Opt<string>;
  readonly note?: Opt<string>;
  readonly hosts?: Opt<
    Readonly<
      Record<
        string,
        { readonly class?: Opt<HostClass>; readonly host?: Opt<string>; readonly worker?: Opt<boolean> }
      >
    >
  >;
  readonly producers?: Opt<Readonly<Record<string, { readonly heartbeats?: Opt<boolean> }>>>;
  /** Without a preset: `measured`. */
  readonly policy?: Opt<PolicyInput>;
  readonly baselines?: Opt<readonly SeededBaseline[]>;
  readonly signals: readonly ScenarioSignal[];
  readonly expect: readonly Expectation[];
  /** Messages to agents by type; a map counts per turn. */
  readonly published?: Opt<Readonly<Record<string, number | Readonly<Record<string, number>>>>>;
}
