import { deliveryError, type Failure } from './failure.ts';
import type { EndpointState } from './outbox.ts';

export function activeState(endpointId: string, atMs: number): EndpointState {
  return { endpointId, status: 'active', failingSinceMs: null, changedAtMs: atMs };
}

/**
 * How an endpoint stands after an attempt. The same object where nothing has changed.
 * @param why undefined: delivered
 * @param pauseAfterMs without one success for this long the endpoint is paused
 */
export function stateAfter(
  state: EndpointState,
  why: Failure | undefined,
  atMs: number,
  pauseAfterMs: number,
): EndpointState {
  const { endpointId, failingSinceMs } = state;
  // A late success or failure does not undo what an operator must decide.
  if (state.status === 'disabled') return state;
  if (why === undefined) return failingSinceMs === null ? state : activeState(endpointId, atMs);
  const since = failingSinceMs ?? atMs;
  const failing = { endpointId, failingSinceMs: since, changedAtMs: atMs, lastError: deliveryError(why) };
  if (why.code === 'gone') return { ...failing, status: 'disabled' };
  if (state.status === 'active' && atMs - since >= pauseAfterMs) return { ...failing, status: 'paused' };
  return failingSinceMs === null ? { ...failing, status: state.status } : state;
}
