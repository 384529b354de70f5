import { currentOrInert, type StartOptions, startTurn } from './instrumentation.ts';
import type { RequestOptions, ToolOptions } from './producer/options.ts';
import type { RequestHandle } from './request.ts';
import type { ToolHandle } from './tool.ts';
import type { Turn } from './turn.ts';

export type { LoggerProviderLike } from './emit.ts';
export { type ExpiryDiagnostics, RequestStillRunningError, TurnExpiredError } from './errors.ts';
export {
  configure,
  counters,
  currentTurn,
  flush,
  type InstrumentationOptions,
  type StartOptions,
  setLoggerProvider,
  startTurn,
} from './instrumentation.ts';
export type { Counters } from './producer/counters.ts';
export type {
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
