import type { Context } from './context.ts';
import type { ExpiredDetails, StaleDetails, StaleReason, TurnEvent } from './event.ts';
import { effectivePhase } from './evidence.ts';
import { pendingCalls } from './grace.ts';
import { ownThreshold } from './own-threshold.ts';
import { defaultThresholdMs } from './policy.ts';
import { keyParts, type Silence, silenceOf, silentSinceA } from './silence.ts';
import { falseFlagEstimate, type Threshold } from './threshold.ts';
import type { Turn } from './turn.ts';

// What a verdict says about itself. Diagnostics must be truthful (report 001): they are computed from the same state
// that was judged.

export function silenceNow(turn: Turn, ctx: Context): Silence | undefined {
  return silenceOf(turn, ctx.policy, ctx.baselines, ctx.lagMs);
}

/** What `tool` and `waiting` show as a threshold: the agent's own, which would hold if they were over. */
export function shownThreshold(turn: Turn, ctx: Context): Threshold {
  const silence = silenceNow(turn, ctx);
  if (silence !== undefined) return silence.threshold;
  const thresholdMs = defaultThresholdMs(ctx.policy, ctx.policy.preset, keyParts(turn), 'agent');
  const confirmMs = thresholdMs * ctx.policy.confirmRatio;
  const byDefault: Threshold = {
    thresholdMs,
    confirmMs,
    source: 'default',
    suspectMs: thresholdMs,
    samples: 0,
    largestGapMs: 0,
  };
  return ownThreshold(turn, 'agent', byDefault, ctx.policy);
}

export function shownSilenceMs(turn: Turn, ctx: Context): number {
  return silenceNow(turn, ctx)?.silenceMs ?? Math.max(0, turn.w - silentSinceA(turn));
}

export function staleDetails(
  turn: Turn,
  reason: StaleReason,
  lostCalls: readonly string[],
  ctx: Context,
): StaleDetails {
  const threshold = shownThreshold(turn, ctx);
  const calls = pendingCalls(turn, ctx.policy, ctx.children, reason === 'tool_silence').map((call) =>
    lostCalls.includes(call.id) ? { ...call, expired: true } : call,
  );
  return {
    reason,
    phase: effectivePhase(turn),
    episode: turn.episode,
    lastActivityAtMs: turn.lastActivityMs,
    lastActivityKind: turn.report.lastKind,
    staleSinceMs: ctx.now.wallMs,
    ...(turn.suspectMs === undefined ? {} : { suspectAtMs: turn.suspectMs }),
    silenceMs: shownSilenceMs(turn, ctx),
    thresholdMs: threshold.thresholdMs,
    thresholdSource: threshold.source,
    confirmMs: threshold.confirmMs,
    ...(threshold.lagMs === undefined ? {} : { lagMs: threshold.lagMs }),
    largestHealthyGapMs: threshold.samples > 0 ? threshold.largestGapMs : null,
    samples: threshold.samples,
    falseFlagEstimate: falseFlagEstimate(threshold, ctx.policy),
    precision: turn.coarse ? 'coarse' : 'proven',
    pendingCalls: calls,
  };
}

export function expiredDetails(turn: Turn, ctx: Context): ExpiredDetails {
  const { state } = turn.verdict;
  return {
    expiresAtMs: ctx.now.wallMs - Math.max(0, ctx.now.bootMs - turn.deadlineMs),
    settledAtMs: ctx.now.wallMs,
    stateBefore: state === 'stale' || state === 'suspect' ? state : 'running',
    byDefault: turn.byDefault,
    phase: effectivePhase(turn),
    episode: turn.episode,
    lastActivityAtMs: turn.lastActivityMs,
    lastActivityKind: turn.report.lastKind,
    pendingCalls: pendingCalls(turn, ctx.policy, ctx.children, false),
  };
}

/** What every event of a turn begins with. */
export function eventBase(
  turn: Turn,
  ctx: Context,
): Omit<Extract<TurnEvent, { type: 'turn.stale' }>, 'type' | 'stale'> {
  return {
    turn: turn.id,
    attempt: turn.attempt,
    identity: turn.identity,
    atMs: ctx.now.wallMs,
    tellsParent: turn.identity.managedBy === undefined,
    recipient: ctx.recipient,
  };
}
