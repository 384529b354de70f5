import { currentOrInert, type StartOptions, startTurn } from './instrumentation.ts';
import type { RequestOptions, ToolOptions } from './producer/options.ts';
import type { RequestHandle } from './request.ts';
import type { ToolHandle } from './tool.ts';
import type { Turn } from './turn.ts';

export type { LoggerProviderLike } from './emit.ts';
export {
  type ExpiryDiagnostics,
  type PendingCallFacts,
  RequestStillRunningError,
  TurnExpiredError,
  type TurnExpiredEvent,
} from './errors.ts';
export {
  configure,
  counters,
  currentTurn,
  flush,
  type InstrumentationOptions,
  reportEngine,
  type StartOptions,
  setLoggerProvider,
  startTurn,
  suspending,
} from './instrumentation.ts';
export type { AbortingEvent, AttemptControl, LocalDetector, LocalRecord } from './local-detector.ts';
export type { Counters } from './producer/counters.ts';
export type {
  EngineReport,
  PromptRead,
  ProviderError,
  RequestEnd,
  RequestOptions,
  RetryOptions,
  ToolOptions,
  TurnEnd,
  TurnOptions,
  WaitingOptions,
} from './producer/options.ts';
export type { ContentKind, HostClass, Outcome, Route, WaitingFor } from './producer/signal.ts';
export type { RequestHandle } from './request.ts';
export type { SpanLike } from './spans/genai-span.ts';
export { TurnSpanProcessor, type TurnSpanProcessorOptions } from './spans/span-processor.ts';
export {
  type StaleDiagnostics,
  type StaleReason,
  TurnStaleError,
  type TurnStaleEvent,
} from './stale-error.ts';
export type { DialectName } from './stream/dialect/dialect.ts';
export type { Usage } from './stream/dialect/reading.ts';
export { observerErrors } from './stream/guard.ts';
export { type IdleClock, type IdleOptions, StreamIdleError } from './stream/idle-timeout.ts';
export { type ObserveFetchOptions, observeFetch } from './stream/observe-fetch.ts';
export type { LifeSign } from './stream/observer.ts';
export type { StreamSummary } from './stream/summary.ts';
export { tapUndici } from './stream/tap-undici.ts';
export type { TapOptions } from './stream/wire-request.ts';
export { type IdleTimeoutOptions, withIdleTimeout } from './stream/with-idle-timeout.ts';
export type { ToolHandle } from './tool.ts';
export type { TraceLink } from './trace-link.ts';
export type { Turn } from './turn.ts';

/**
 * Runs `work` as a turn: started before it, ended with its outcome. Turns, requests and calls started inside find it by
 * themselves. Rejects with what `work` rejects with, or with `TurnExpiredError` at the horizon, even if `work` never
 * settles; a late settlement is counted and ignored (004).
 */
export function withTurn<T>(options: StartOptions, work: (turn: Turn) => T | PromiseLike<T>): Promise<T> {
  return startTurn(options).run(work);
}

/** {@link Turn.withRequest} of the current turn; outside of any turn `work` runs unobserved. */
export function withRequest<T>(
  options: RequestOptions,
  work: (request: RequestHandle) => T | PromiseLike<T>,
): Promise<T> {
  return currentOrInert().withRequest(options, work);
}

/** {@link Turn.withToolCall} of the current turn; outside of any turn `work` runs unobserved. */
export function withToolCall<T>(
  options: ToolOptions,
  work: (call: ToolHandle) => T | PromiseLike<T>,
): Promise<T> {
  return currentOrInert().withToolCall(options, work);
}
