import type { Context } from './context.ts';
import { shownSilenceMs, shownThreshold } from './details.ts';
import type { StaleDetails } from './event.ts';
import { effectivePhase } from './evidence.ts';
import { pendingCalls } from './grace.ts';
import { muteAt } from './mute.ts';
import type { Threshold } from './threshold.ts';
import { isOpen, type Turn } from './turn.ts';
import type { TurnView } from './view.ts';

/** A turn as people and the API see it, computed from the state that is judged. */
export function viewOf(turn: Turn, ctx: Context): TurnView {
  const { verdict, report } = turn;
  // What a verdict was made by: its key may have learned or backed off since.
  const threshold = verdict.state === 'stale' ? ofVerdict(verdict.details) : shownThreshold(turn, ctx);
  const waiting = report.waiting;
  // What is over expires no more, though the horizon was held while it waited.
  const deadlineMs =
    turn.heldMs === undefined || !isOpen(turn) ? turn.deadlineMs : ctx.now.bootMs + turn.heldMs;
  return {
    id: turn.id,
    attempt: turn.attempt,
    incarnation: turn.owner.incarnation,
    identity: turn.identity,
    process: turn.owner.process,
    path: turn.path,
    state: verdict.state,
    reason: verdict.state === 'stale' ? verdict.reason : null,
    outcome: verdict.state === 'ended' ? verdict.outcome : null,
    episode: turn.episode,
    phase: effectivePhase(turn),
    waiting:
      waiting === undefined
        ? null
        : {
            for: waiting.for,
            ...(waiting.call === undefined ? {} : { call: waiting.call }),
            // From the last activity, whose instant is kept: counted from now it would move while nothing is heard.
            sinceMs: Math.min(ctx.now.wallMs, turn.lastActivityMs + (waiting.sinceA - report.lastA)),
          },
    silenceMs: shownSilenceMs(turn, ctx),
    thresholdMs: threshold.thresholdMs,
    thresholdSource: threshold.source,
    confirmMs: threshold.confirmMs,
    lagMs: threshold.lagMs ?? 0,
    heardAgoMs: turn.coarse ? 0 : Math.max(0, ctx.now.awakeMs - turn.heardAwakeMs),
    lastActivityAtMs: turn.lastActivityMs,
    lastActivityKind: report.lastKind,
    startedAtMs: turn.startedMs,
    staleSinceMs: verdict.state === 'stale' ? verdict.sinceMs : null,
    verdict: verdict.state === 'stale' ? verdict.details : null,
    suspectSinceMs: verdict.state === 'suspect' ? verdict.sinceMs : (turn.suspectMs ?? null),
    settledAtMs: verdict.state === 'ended' || verdict.state === 'expired' ? verdict.atMs : null,
    expiresAtMs: Number.isFinite(deadlineMs) ? ctx.now.wallMs + (deadlineMs - ctx.now.bootMs) : null,
    expiresByDefault: turn.byDefault,
    precision: turn.coarse ? 'coarse' : 'proven',
    calls: pendingCalls(turn, ctx.policy, ctx.children, false),
    // A wait for a child that is over is no call.
    expiredCalls: verdict.state === 'stale' ? verdict.expiredCalls.filter((id) => id !== '*') : [],
    openRequests: report.requests.map((request) => request.id),
    promptRead: report.promptRead ?? null,
    chunks: report.chunks,
    ...standingOrders(turn, ctx),
  };
}

function ofVerdict({
  thresholdMs,
  thresholdSource,
  confirmMs,
  lagMs = 0,
}: StaleDetails): Pick<Threshold, 'thresholdMs' | 'source' | 'confirmMs' | 'lagMs'> {
  return { thresholdMs, source: thresholdSource, confirmMs, lagMs };
}

function standingOrders(
  { orders, attempt, episode }: Turn,
  ctx: Context,
): Pick<TurnView, 'acknowledged' | 'muted' | 'closed' | 'ownThresholdsMs'> {
  if (orders === undefined) return noOrders;
  const { acknowledged, closed } = orders;
  const ofNow = acknowledged?.attempt === attempt && acknowledged.episode === episode;
  return {
    acknowledged: ofNow ? acknowledged : null,
    muted: muteAt(orders, ctx.now.wallMs) ?? null,
    closed: closed ?? null,
    ownThresholdsMs: orders.thresholdsMs,
  };
}

const noOrders = { acknowledged: null, muted: null, closed: null, ownThresholdsMs: {} } as const;
