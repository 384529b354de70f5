export type {
  ContentKind,
  Happening,
  Outcome,
  Phase,
  Route,
  TurnIdentity,
  WaitingFor,
} from '@turnwatch/core';
export {
  isRequestExpired,
  isSourceSilent,
  isTurnExpired,
  isTurnRecovered,
  isTurnStale,
  isTurnSuspect,
  isWebhookTest,
  type TurnDetails,
  type WebhookEvent,
} from '@turnwatch/webhook/receive';
export { definePlugin } from './define-plugin.ts';
export { DeliveryFailure, type DeliveryFailureOptions } from './delivery-failure.ts';
export type { EngineProbe, EngineReading, PromptRead, SlotReading } from './engine-probe.ts';
export type {
  ForeignLog,
  ForeignMetric,
  ForeignRecord,
  ForeignSpan,
  ForeignValue,
} from './foreign-record.ts';
export type { GuardedAnswer, GuardedRequest, PluginHost, PluginLogger } from './host.ts';
export type { Lifecycle } from './lifecycle.ts';
export {
  type AnyPlugin,
  apiVersion,
  type Plugin,
  type PluginInstances,
  type PluginKind,
  pluginKinds,
} from './plugin.ts';
export type {
  MappedSignal,
  MapperPrecision,
  MapperSelection,
  OpenTurn,
  SignalMapper,
} from './signal-mapper.ts';
export type { StandardIssue, StandardResult, StandardSchema } from './standard-schema.ts';
export type { Delivery, VerdictSink } from './verdict-sink.ts';
