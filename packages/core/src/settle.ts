import type { Lesson } from './baseline.ts';
import type { Context } from './context.ts';
import { eventBase } from './details.ts';
import type { Effect } from './event.ts';
import { baselineKey, type PhaseKey } from './key.ts';
import { type Clearance, clearanceOf } from './recovery.ts';
import type { SettledOutcome } from './signal.ts';
import { noChildren, noLessons, type Turn, type TurnLessons, type Verdict } from './turn.ts';

/** What a settled turn does to what has been learned. Applied by the registry, never by the turn. */
export type Teaching =
  | { readonly kind: 'admit'; readonly key: string; readonly lesson: Lesson }
  | { readonly kind: 'censor'; readonly key: string; readonly gapMs: number }
  | { readonly kind: 'refute'; readonly key: string };

export type TurnEffect = Effect | Teaching;
export type Transition = readonly [Turn, readonly TurnEffect[]];

/** The end of a turn: it closes its calls and requests, and teaches when it was healthy. */
export function endTurn(turn: Turn, outcome: SettledOutcome, ctx: Context): Transition {
  const effects: TurnEffect[] = [];
  const { verdict } = turn;
  if (verdict.state === 'expired' || verdict.state === 'ended') {
    // Report 004: what settles after the horizon is counted and changes nothing.
    return [turn, verdict.state === 'expired' ? [{ kind: 'count', what: 'late_settlement' }] : []];
  }
  if (verdict.state === 'stale') effects.push(...episodeEnd(turn, verdict, outcome, ctx));
  if (outcome === 'completed') effects.push(...admissions(turn, turn.lessons));
  else if (outcome !== 'unknown') effects.push(...censored(turn));
  effects.push(
    { kind: 'ended', turn: turn.id, attempt: turn.attempt, outcome },
    { kind: 'keep', turn: turn.id },
  );
  const { report } = turn;
  return [
    {
      ...turn,
      report: { ...report, requests: [], calls: [] },
      requestDeadlines: {},
      children: noChildren,
      lessons: noLessons,
      deadlineMs: Number.POSITIVE_INFINITY,
      verdict: { state: 'ended', outcome, atMs: ctx.now.wallMs },
    },
    effects,
  ];
}

/** What the end of a stale turn says of its verdict. Nobody knows what an end without an outcome proves. */
function episodeEnd(
  turn: Turn,
  stale: Extract<Verdict, { state: 'stale' }>,
  outcome: SettledOutcome,
  ctx: Context,
): TurnEffect[] {
  if (outcome === 'unknown' || outcome === 'closed') return [];
  if (outcome === 'completed')
    return stale.reason === 'process_exited'
      ? []
      : clearEffects(turn, stale, { kind: 'recovered', by: 'turn_ended' }, ctx);
  // It may have gone on before it failed, between two heartbeats.
  const clearance = clearedBySilence(stale) ? clearanceOf(turn, stale, ctx) : null;
  return clearEffects(turn, stale, clearance ?? { kind: 'confirmed' }, ctx);
}

function clearedBySilence({ reason }: Extract<Verdict, { state: 'stale' }>): boolean {
  return reason === 'silence' || reason === 'engine_only' || reason === 'provider_error';
}

function keyFor(turn: Turn, key: PhaseKey): string {
  return baselineKey(turn.identity.provider ?? '', turn.identity.model ?? '', key);
}

function admissions(turn: Turn, lessons: TurnLessons): Teaching[] {
  const keys = new Set([...Object.keys(lessons.gaps), ...Object.keys(lessons.pinged)]) as Set<PhaseKey>;
  return [...keys].map((key) => {
    const gapMs = lessons.gaps[key];
    const pingedMs = lessons.pinged[key];
    return {
      kind: 'admit',
      key: keyFor(turn, key),
      lesson: {
        turn: turn.id,
        ...(gapMs === undefined ? {} : { gapMs }),
        ...(pingedMs === undefined ? {} : { pingedMs }),
        ...(key === 'first_token' && lessons.reads.length > 0 ? { reads: lessons.reads } : {}),
      },
    };
  });
}

/** What the horizon, a user or a time-out ended: counted apart, and the silence it ended in with it. */
export function censored(turn: Turn): Teaching[] {
  const { gaps, hung } = turn.lessons;
  const keys = new Set([...Object.keys(gaps), ...Object.keys(hung)]) as Set<PhaseKey>;
  return [...keys].map((key) => ({
    kind: 'censor',
    key: keyFor(turn, key),
    gapMs: Math.max(gaps[key] ?? 0, hung[key] ?? 0),
  }));
}

/** What the end of a stale episode says and teaches. */
export function clearEffects(
  turn: Turn,
  stale: Extract<Verdict, { state: 'stale' }>,
  clearance: NonNullable<Clearance>,
  ctx: Context,
): TurnEffect[] {
  if (clearance.kind === 'confirmed')
    return [
      { kind: 'count', what: 'confirmed' },
      { kind: 'keep', turn: turn.id },
    ];
  const effects: TurnEffect[] = [
    {
      kind: 'publish',
      event: {
        ...eventBase(turn, ctx),
        type: 'turn.recovered',
        recovered: {
          reason: stale.reason,
          episode: turn.episode,
          staleSinceMs: stale.sinceMs,
          recoveredAtMs: ctx.now.wallMs,
          staleForMs: Math.max(0, ctx.now.wallMs - stale.sinceMs),
          by: clearance.by,
        },
      },
    },
    { kind: 'count', what: 'refuted' },
    { kind: 'keep', turn: turn.id },
  ];
  // What an operator's own threshold said teaches nothing of the learned one.
  if (stale.reason === 'silence' && stale.key !== null && stale.details.thresholdSource !== 'operator')
    effects.push({ kind: 'refute', key: keyFor(turn, stale.key) });
  return effects;
}
