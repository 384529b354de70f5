import type { Policy, TurnEvent } from '@turnwatch/core';

/**
 * When a verdict fell due, ms since the epoch, from what the event says about itself. Undefined for events that have no due
 * time, or none that they tell.
 */
export function dueAtMs(event: TurnEvent, policy: Pick<Policy, 'unreachableMs'>): number | undefined {
  if (event.type === 'turn.expired') return event.expired.expiresAtMs;
  if (event.type !== 'turn.stale') return undefined;
  const { stale } = event;
  switch (stale.reason) {
    case 'silence':
    case 'engine_only':
      return stale.lastActivityAtMs + stale.thresholdMs + stale.confirmMs;
    case 'tool_silence': {
      // The call that was the first to pass its grace; those that come close to theirs are named with it.
      const over = stale.pendingCalls
        .filter((call) => call.expired)
        .map((call) => call.quietMs - call.graceMs);
      return over.length === 0 ? undefined : event.atMs - Math.max(...over);
    }
    case 'process_unreachable':
      // The newest heartbeat proved so much silence: it is the last that was heard of the process.
      return stale.lastActivityAtMs + stale.silenceMs + policy.unreachableMs.server;
    default:
      return undefined;
  }
}
