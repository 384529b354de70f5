import type { PendingCall, StaleDetails } from '@turnwatch/core';
import { isoInstant } from '../instant.ts';
import type { PendingToolCall, StaleData, SuspicionData } from './document.ts';

/** The order of the fields is the one of the contract. */
export function staleData(details: StaleDetails): StaleData {
  const { reason, phase, episode, lastActivityAt, lastActivityKind, ...rest } = suspicionData(details);
  const staleSince = isoInstant(details.staleSinceMs);
  return { reason, phase, episode, lastActivityAt, lastActivityKind, staleSince, ...rest };
}

export function suspicionData(details: StaleDetails): SuspicionData {
  const { suspectAtMs, largestHealthyGapMs: gap, falseFlagEstimate: estimate } = details;
  return {
    reason: details.reason,
    phase: details.phase,
    episode: details.episode,
    lastActivityAt: isoInstant(details.lastActivityAtMs),
    lastActivityKind: details.lastActivityKind,
    silenceMs: wholeMs(details.silenceMs),
    ...(suspectAtMs === undefined ? {} : { suspectAt: isoInstant(suspectAtMs) }),
    thresholdMs: wholeMs(details.thresholdMs),
    thresholdSource: details.thresholdSource,
    confirmMs: wholeMs(details.confirmMs),
    largestHealthyGapMs: gap === null ? null : wholeMs(gap),
    samples: details.samples,
    falseFlagEstimate: estimate === null ? null : Number(estimate.toPrecision(2)),
    precision: details.precision,
    pendingToolCalls: details.pendingCalls.map(pendingToolCall),
    expiredToolCalls: details.pendingCalls.filter((call) => call.expired).map((call) => call.id),
  };
}

export function pendingToolCall(call: PendingCall): PendingToolCall {
  return {
    id: call.id,
    ...(call.name === undefined ? {} : { name: call.name }),
    ageMs: wholeMs(call.ageMs),
    quietMs: wholeMs(call.quietMs),
    graceMs: wholeMs(call.graceMs),
    updates: call.updates,
    expired: call.expired,
  };
}

/** Never negative: a stamp that lies a breath ahead of the newest heartbeat is "just now". */
export function wholeMs(ms: number): number {
  return Math.max(0, Math.round(ms));
}
