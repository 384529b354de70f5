import type {
  ActivityKind,
  ContentKind,
  EngineSignal,
  HostClass,
  JudgedPhase,
  Outcome,
  Phase,
  Precision,
  Route,
  SettledOutcome,
  StaleReason,
  ThresholdSource,
  TurnStateName,
  WaitingFor,
} from '@turnwatch/core';

// The closed sets of words of core as values: readers check against them, schemas are made from them.
// `complete` makes a word that core gains and this file lacks a compile error.

const complete =
  <Word extends string>() =>
  <const List extends readonly Word[]>(
    list: [Exclude<Word, List[number]>] extends [never] ? List : never,
  ): List =>
    list;

export const phases: readonly Phase[] = complete<Phase>()([
  'queued',
  'first_token',
  'reasoning',
  'text',
  'tool_args',
  'non_streaming',
  'compacting',
  'agent',
  'idle',
  'tool',
  'waiting',
]);

export const contentKinds: readonly ContentKind[] = complete<ContentKind>()([
  'text',
  'reasoning',
  'tool_args',
]);

export const waitingReasons: readonly WaitingFor[] = complete<WaitingFor>()([
  'approval',
  'input',
  'rate_limit',
  'schedule',
  'child',
  'retry',
]);

export const outcomes: readonly Outcome[] = complete<Outcome>()([
  'completed',
  'failed',
  'cancelled',
  'unknown',
]);

export const routes: readonly Route[] = complete<Route>()(['api', 'local']);

export const hostClasses: readonly HostClass[] = complete<HostClass>()(['server', 'portable']);

export const activityKinds: readonly ActivityKind[] = complete<ActivityKind>()([
  'turn_started',
  'request_started',
  'request_ended',
  'request_failed',
  'chunk',
  'tool_started',
  'tool_ended',
  'agent_step',
  'waiting_started',
  'waiting_ended',
  'compaction_started',
  'compaction_ended',
  'provider_error',
]);

export const engineStates: readonly EngineSignal['state'][] = complete<EngineSignal['state']>()([
  'idle',
  'busy',
  'unloaded',
  'unreachable',
]);

export const staleReasons: readonly StaleReason[] = complete<StaleReason>()([
  'silence',
  'engine_only',
  'tool_silence',
  'lost_completion',
  'no_content',
  'process_exited',
  'process_unreachable',
  'process_blocked',
  'provider_error',
]);

export const thresholdSources: readonly ThresholdSource[] = complete<ThresholdSource>()([
  'measured',
  'default',
  'operator',
]);

export const settledOutcomes: readonly SettledOutcome[] = complete<SettledOutcome>()([
  'completed',
  'failed',
  'cancelled',
  'unknown',
  'closed',
]);

/** Phases that the silence rule judges, and that thresholds are for. */
export const judgedPhases: readonly JudgedPhase[] = complete<JudgedPhase>()([
  'queued',
  'first_token',
  'reasoning',
  'text',
  'tool_args',
  'non_streaming',
  'compacting',
  'agent',
]);

export const precisions: readonly Precision[] = complete<Precision>()(['proven', 'coarse']);

export const turnStates: readonly TurnStateName[] = complete<TurnStateName>()([
  'running',
  'suspect',
  'stale',
  'expired',
  'ended',
]);
