import type { Context } from './context.ts';
import { eventBase, expiredDetails, silenceNow, staleDetails } from './details.ts';
import type { StaleReason } from './event.ts';
import { never } from './evidence.ts';
import { anyCallExpired, lostCompletions } from './grace.ts';
import { clearanceOf, loopFreeMs } from './recovery.ts';
import { censored, clearEffects, endTurn, type Transition, type TurnEffect } from './settle.ts';
import type { Stamp } from './time.ts';
import { noChildren, noLessons, running, type Turn } from './turn.ts';

/** How long a fatal provider error may stand before it is a verdict: the agent may be about to handle it. */
const errorStandsMs = 2000;

/** Judges a turn as it is known now. The order is that of RULES 5: the horizon before everything else. */
export function judge(turn: Turn, ctx: Context): Transition {
  if (turn.verdict.state === 'expired' || turn.verdict.state === 'ended') return [turn, []];
  if (ctx.now.bootMs >= turn.deadlineMs) {
    // A turn whose end nobody tells has not outlived a horizon that nobody gave it.
    return turn.byDefault && turn.report.phase === 'idle' ? endTurn(turn, 'unknown', ctx) : expire(turn, ctx);
  }
  const effects: TurnEffect[] = [];
  let judged = expireRequests(turn, ctx, effects);
  judged = clear(judged, ctx, effects);
  judged = condemn(judged, ctx, effects);
  return [judged, effects];
}

/** Unconditional once the horizon has passed, whatever is open, executing, waiting or asleep (report 004). */
function expire(turn: Turn, ctx: Context): Transition {
  const details = expiredDetails(turn, ctx);
  return [
    {
      ...turn,
      report: { ...turn.report, requests: [], calls: [] },
      requestDeadlines: {},
      children: noChildren,
      deadlineMs: Number.POSITIVE_INFINITY,
      lessons: noLessons,
      verdict: { state: 'expired', atMs: ctx.now.wallMs, details },
    },
    [
      { kind: 'publish', event: { ...eventBase(turn, ctx), type: 'turn.expired', expired: details } },
      ...censored(withOpenSilence(turn, ctx)),
      { kind: 'keep', turn: turn.id },
    ],
  ];
}

/** The silence that the horizon cut off is part of what is censored. */
function withOpenSilence(turn: Turn, ctx: Context): Turn {
  const silence = silenceNow(turn, ctx);
  if (silence === undefined || silence.key === null) return turn;
  const { hung } = turn.lessons;
  const longestMs = Math.max(hung[silence.key] ?? 0, silence.silenceMs);
  return { ...turn, lessons: { ...turn.lessons, hung: { ...hung, [silence.key]: longestMs } } };
}

/** A request past its own horizon is told once. Its phase and clock go on, so that it cannot hide the wedge. */
function expireRequests(turn: Turn, ctx: Context, effects: TurnEffect[]): Turn {
  let told: Record<string, number> | undefined;
  for (const [request, deadlineMs] of Object.entries(turn.requestDeadlines)) {
    if (ctx.now.bootMs < deadlineMs) continue;
    told = { ...(told ?? turn.requestDeadlines), [request]: Number.POSITIVE_INFINITY };
    effects.push(
      {
        kind: 'publish',
        event: {
          ...eventBase(turn, ctx),
          type: 'request.expired',
          request,
          expiresAtMs: ctx.now.wallMs - (ctx.now.bootMs - deadlineMs),
          phase: turn.report.phase,
        },
      },
      { kind: 'keep', turn: turn.id },
    );
  }
  return told === undefined ? turn : { ...turn, requestDeadlines: told };
}

/** Ends a stale episode whose own cause is gone. */
function clear(turn: Turn, ctx: Context, effects: TurnEffect[]): Turn {
  const { verdict } = turn;
  if (verdict.state !== 'stale') return turn;
  const clearance = clearanceOf(turn, verdict, ctx);
  if (clearance === null) return turn;
  effects.push(...clearEffects(turn, verdict, clearance, ctx));
  const { suspectMs: _over, ...rest } = turn;
  return { ...rest, episode: turn.episode + 1, suspectTold: false, verdict: running };
}

function condemn(turn: Turn, ctx: Context, effects: TurnEffect[]): Turn {
  const errorA = standingErrorA(turn);
  // An error in a stale turn belongs to the episode that has been told: it must not begin the next one.
  if (turn.verdict.state === 'stale') return errorA === undefined ? turn : { ...turn, judgedErrorA: errorA };
  const { process } = ctx;
  if (process.exited) return stale(turn, 'process_exited', [], ctx, effects);
  if (process.unreachable) return stale(turn, 'process_unreachable', [], ctx, effects);
  if (process.loopAgeMs > loopFreeMs)
    return process.loopAgeMs >= ctx.policy.blockedMs
      ? stale(turn, 'process_blocked', [], ctx, effects)
      : turn;
  if (errorA !== undefined)
    return { ...stale(turn, 'provider_error', [], ctx, effects), judgedErrorA: errorA };
  const linked = turn.w >= (turn.linksDueA ?? never);
  if (linked && anyCallExpired(turn, ctx.policy, ctx.children))
    return stale(turn, 'tool_silence', [], ctx, effects);
  const lost = lostCompletions(turn, ctx.policy, ctx.children);
  if (lost.length > 0) return stale(turn, 'lost_completion', lost, ctx, effects);
  if (turn.barrenMs >= ctx.policy.noContentMs) return stale(turn, 'no_content', [], ctx, effects);
  return bySilence(turn, ctx, effects);
}

/** A fatal provider error that nothing has followed for 2 s, and that has not been judged yet. */
function standingErrorA(turn: Turn): Stamp | undefined {
  const { error } = turn.report;
  if (error === undefined || error.retryable || error.atA === turn.judgedErrorA) return undefined;
  // Whoever asks a person what to do about it is not stuck.
  if (turn.report.phase === 'waiting') return undefined;
  // What changed since, a wait that has ended or a request that has failed, gives the agent the same time again.
  return turn.w - Math.max(error.atA, turn.report.phaseA) >= errorStandsMs ? error.atA : undefined;
}

function bySilence(turn: Turn, ctx: Context, effects: TurnEffect[]): Turn {
  const silence = silenceNow(turn, ctx);
  if (silence === undefined) return calm(turn);
  const { silenceMs, threshold } = silence;
  if (silenceMs >= threshold.thresholdMs + threshold.confirmMs)
    return stale(turn, silence.engineOnly ? 'engine_only' : 'silence', [], ctx, effects);
  if (silenceMs < threshold.suspectMs) return calm(turn);
  if (turn.verdict.state === 'suspect') return turn;
  const suspect: Turn = {
    ...turn,
    suspectTold: true,
    suspectMs: ctx.now.wallMs,
    verdict: { state: 'suspect', sinceMs: ctx.now.wallMs },
  };
  if (!turn.suspectTold)
    effects.push({
      kind: 'publish',
      event: {
        ...eventBase(turn, ctx),
        type: 'turn.suspect',
        stale: staleDetails(suspect, 'silence', [], ctx),
      },
    });
  return suspect;
}

/** Any activity or counted evidence clears a suspicion. */
function calm(turn: Turn): Turn {
  if (turn.verdict.state !== 'suspect') return turn;
  const { suspectMs: _over, ...rest } = turn;
  return { ...rest, verdict: running };
}

function stale(
  turn: Turn,
  reason: StaleReason,
  lostCalls: readonly string[],
  ctx: Context,
  effects: TurnEffect[],
): Turn {
  const details = staleDetails(turn, reason, lostCalls, ctx);
  const silence = silenceNow(turn, ctx);
  effects.push(
    { kind: 'publish', event: { ...eventBase(turn, ctx), type: 'turn.stale', stale: details } },
    { kind: 'keep', turn: turn.id },
  );
  const expiredCalls = [
    ...details.pendingCalls.filter((call) => call.expired).map((call) => call.id),
    ...lostCalls.filter((call) => call === '*'),
  ];
  return {
    ...turn,
    verdict: {
      state: 'stale',
      reason,
      sinceMs: ctx.now.wallMs,
      atA: turn.w,
      key: silence?.key ?? null,
      expiredCalls,
      updates: Object.fromEntries(turn.report.calls.map((call) => [call.id, call.updates])),
      details,
    },
  };
}
