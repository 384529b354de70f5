import { passUntil } from './coarse.ts';
import type { Context } from './context.ts';
import { effectivePhase } from './evidence.ts';
import { horizonsAfter } from './horizon.ts';
import { judge } from './judge.ts';
import { learnBetween } from './lessons.ts';
import { hush, tellHeldBack } from './mute.ts';
import { observe, openTurn, withCountedEvidence } from './observe.ts';
import { type OperatorOrder, ordered } from './orders.ts';
import { endTurn, type Transition, type TurnEffect } from './settle.ts';
import type { Outcome, TurnSignal } from './signal.ts';
import { arrivalStamp, type Stamp } from './time.ts';
import { isOpen, ownerIs, type Turn } from './turn.ts';

/** What a turn can be told. */
export type Input =
  | { readonly kind: 'signal'; readonly signal: TurnSignal; readonly path: string }
  /** A newer heartbeat of its process no longer lists the turn, or lists it as ended. */
  | { readonly kind: 'unlisted'; readonly outcome: Outcome; readonly seq: number }
  | {
      readonly kind: 'engine';
      readonly a: Stamp;
      readonly own: boolean;
      readonly wide: boolean;
      readonly queued: boolean;
    }
  | {
      readonly kind: 'child';
      /** Null: it has no say in the calls. */
      readonly call: string | undefined | null;
      readonly what: 'flagged' | 'healthy' | 'ended';
      readonly a: Stamp;
    }
  /** A person says something of it. */
  | { readonly kind: 'operator'; readonly order: OperatorOrder }
  | { readonly kind: 'judge' };

/**
 * The next state of a turn, and what is to be done about it, as data. Pure: the same turn, input and context always give
 * the same answer. `turn` is undefined for a turn that is not known yet; only a signal can open one.
 */
export function transition(
  turn: Turn | undefined,
  input: Input,
  ctx: Context,
): readonly [Turn | undefined, readonly TurnEffect[]] {
  if (input.kind === 'signal') return hushed(signalled(turn, input.signal, input.path, ctx), ctx);
  if (turn === undefined) return [undefined, []];
  if (input.kind === 'judge') return judged(turn, ctx);
  return hushed(told(turn, input, ctx), ctx);
}

function hushed([turn, effects]: Transition, ctx: Context): Transition {
  return hush(turn, effects, ctx);
}

function judged(turn: Turn, ctx: Context): Transition {
  const [next, effects] = hushed(
    judge(turn.coarse && isOpen(turn) ? atArrivalClock(turn, ctx) : turn, ctx),
    ctx,
  );
  const [after, late] = tellHeldBack(next, ctx);
  return late.length === 0 ? [next, effects] : [after, [...effects, ...late]];
}

function told(
  turn: Turn,
  input: Exclude<Input, { readonly kind: 'signal' | 'judge' }>,
  ctx: Context,
): Transition {
  switch (input.kind) {
    case 'operator':
      return ordered(turn, input.order, ctx);
    case 'unlisted':
      return isOpen(turn)
        ? unlisted({ ...turn, seq: Math.max(turn.seq, input.seq) }, input.outcome, ctx)
        : [turn, []];
    case 'engine':
      return [isOpen(turn) ? engineMoved(turn, input, ctx) : turn, []];
    case 'child':
      return [isOpen(turn) ? childChanged(turn, input) : turn, []];
  }
}

function signalled(turn: Turn | undefined, signal: TurnSignal, path: string, ctx: Context): Transition {
  if (turn === undefined) return opened(signal, path, ctx, []);
  const { origin, happening } = signal;
  if (signal.attempt > turn.attempt) return nextAttempt(turn, signal, path, ctx);
  if (signal.attempt < turn.attempt) {
    return [turn, happening.name === 'ended' ? [{ kind: 'count', what: 'late_settlement' }] : []];
  }
  if (!ownerIs(turn, origin.process, origin.boot) || signal.incarnation !== turn.owner.incarnation) {
    if (signal.incarnation > turn.owner.incarnation) return adopted(turn, signal, path, ctx);
    const reused = signal.incarnation === turn.owner.incarnation && happening.name === 'started';
    return [turn, [{ kind: 'count', what: reused ? 'id_conflict' : 'foreign_owner' }]];
  }
  if (vanishedAndBack(turn, signal)) return reopened(turn, signal, path, ctx);
  if (!isOpen(turn)) {
    return [
      turn,
      happening.name === 'ended' && turn.verdict.state === 'expired'
        ? [{ kind: 'count', what: 'late_settlement' }]
        : [],
    ];
  }
  if (happening.name === 'ended') {
    return ended(turn, signal, happening.outcome, ctx);
  }
  const next = observe(turn, signal, ctx);
  const keeps = durable(happening.name) || next.deadlineMs < turn.deadlineMs;
  return [next, keeps ? [{ kind: 'keep', turn: turn.id }] : []];
}

/** As far as the record tells: without heartbeats by its wall clock, and where it has none by its arrival. */
function datedAfterHorizon(turn: Turn, { report, origin }: TurnSignal): boolean {
  if (report !== undefined) return (report.expiresInMs ?? 1) <= 0;
  const { expiresAtMs } = turn.identity;
  return expiresAtMs === undefined || origin.wallMs === undefined || origin.wallMs >= expiresAtMs;
}

/** An end that the producer itself dates after the horizon comes too late: the horizon is judged first (report 004). */
function ended(turn: Turn, signal: TurnSignal, outcome: Outcome, ctx: Context): Transition {
  if (ctx.now.bootMs < turn.deadlineMs || !datedAfterHorizon(turn, signal))
    return endTurn(observe(turn, signal, ctx), outcome, ctx);
  const [expired, effects] = judge(turn, ctx);
  return [expired, [...effects, { kind: 'count', what: 'late_settlement' }]];
}

/** Only a list said that it had ended, and a newer record of its own shows that it goes on. */
function vanishedAndBack(turn: Turn, signal: TurnSignal): boolean {
  const { verdict } = turn;
  return (
    verdict.state === 'ended' &&
    verdict.outcome === 'unknown' &&
    signal.report !== undefined &&
    signal.origin.seq > turn.seq
  );
}

function reopened(turn: Turn, signal: TurnSignal, path: string, ctx: Context): Transition {
  const [next, effects] = opened(signal, path, ctx, []);
  return [
    {
      ...next,
      identity: { ...turn.identity, ...next.identity },
      startedMs: turn.startedMs,
      episode: turn.episode,
      ...ordersOf(turn),
    },
    effects,
  ];
}

/** A list does not say when; a turn that was given up is expired if its horizon has passed. */
function unlisted(turn: Turn, outcome: Outcome, ctx: Context): Transition {
  return outcome !== 'completed' && ctx.now.bootMs >= turn.deadlineMs
    ? judge(turn, ctx)
    : endTurn(turn, outcome, ctx);
}

/** Starts, ends, horizons and verdicts must survive a crash; activity is checkpointed in batches. */
function durable(name: TurnSignal['happening']['name']): boolean {
  return name === 'started' || name === 'adopted';
}

function opened(signal: TurnSignal, path: string, ctx: Context, effects: TurnEffect[]): Transition {
  const turn = openTurn(signal, path, ctx);
  if (signal.happening.name === 'ended') {
    const [ended, more] = endTurn(turn, signal.happening.outcome, ctx);
    return [ended, [...effects, ...more]];
  }
  return [turn, [...effects, { kind: 'keep', turn: turn.id }]];
}

/** A new attempt closes the one before and has its own horizon and its own events (report 004). */
function nextAttempt(turn: Turn, signal: TurnSignal, path: string, ctx: Context): Transition {
  const effects: TurnEffect[] = isOpen(turn) ? [...endTurn(turn, 'unknown', ctx)[1]] : [];
  const [next, more] = opened(signal, path, ctx, effects);
  // `no_content` counts over all attempts: a loop of fruitless retries must not hide behind them.
  return [
    {
      ...next,
      barrenMs: turn.barrenMs,
      identity: { ...turn.identity, ...next.identity },
      ...ordersOf(turn),
    },
    more,
  ];
}

/** A higher incarnation takes the turn over: all stamps are re-based on the new owner's clock. */
function adopted(turn: Turn, signal: TurnSignal, path: string, ctx: Context): Transition {
  if (!isOpen(turn)) return [turn, [{ kind: 'count', what: 'foreign_owner' }]];
  const [next, effects] = opened(signal, path, ctx, []);
  const stale = turn.verdict.state === 'stale';
  return [
    {
      ...next,
      identity: { ...turn.identity, ...next.identity },
      startedMs: turn.startedMs,
      barrenMs: turn.barrenMs,
      lessons: turn.lessons,
      ...(next.byDefault ? horizonKept(turn, ctx) : {}),
      suspectTold: turn.suspectTold && !stale,
      // The episode is closed without an event; a later stall is the next one.
      episode: stale ? turn.episode + 1 : turn.episode,
      ...ordersOf(turn),
    },
    effects,
  ];
}

/** What operators said holds on, whoever works on the turn next; but that it was closed, which was of what is over. */
function ordersOf({ orders }: Turn): Pick<Turn, 'orders'> {
  if (orders === undefined) return {};
  const { closed: _over, ...rest } = orders;
  return { orders: rest };
}

function horizonKept(turn: Turn, ctx: Context): Pick<Turn, 'deadlineMs' | 'byDefault'> {
  const deadlineMs = turn.heldMs === undefined ? turn.deadlineMs : ctx.now.bootMs + turn.heldMs;
  return { deadlineMs, byDefault: turn.byDefault };
}

/** Without heartbeats nothing proves silence, or the end of a wait, but the passing of the detector's own time. */
function atArrivalClock(turn: Turn, ctx: Context): Turn {
  const w = arrivalStamp(ctx.now);
  const report = passUntil(turn.report, w);
  if (report === turn.report) return { ...turn, w };
  const { heldMs: _held, ...rest } = turn;
  return { ...rest, w, report, ...horizonsAfter(turn, report, ctx) };
}

function engineMoved(turn: Turn, input: Extract<Input, { kind: 'engine' }>, ctx: Context): Turn {
  const request = turn.report.requests.at(-1);
  if (request === undefined) return turn;
  const known = turn.engine?.request === request.id ? turn.engine : undefined;
  const begun =
    request.contentA !== undefined ||
    (turn.report.progressA ?? -1) >= request.startedA ||
    known?.ownA !== undefined ||
    input.own;
  const queued = input.queued && !begun;
  const ownA = input.own ? Math.max(known?.ownA ?? input.a, input.a) : known?.ownA;
  const wideA = input.wide ? Math.max(known?.wideA ?? input.a, input.a) : known?.wideA;
  const queuedA = known?.queuedA ?? (queued ? input.a : undefined);
  const next: Turn = {
    ...turn,
    engine: {
      request: request.id,
      queued,
      ...(ownA === undefined ? {} : { ownA }),
      ...(wideA === undefined ? {} : { wideA }),
      ...(queuedA === undefined ? {} : { queuedA }),
    },
    barrenMs: input.own && effectivePhase(turn) !== 'compacting' ? 0 : turn.barrenMs,
  };
  const counted = withCountedEvidence(next, ctx);
  return { ...counted, lessons: learnBetween(turn, counted, ctx.policy, ctx.baselines) };
}

function childChanged(turn: Turn, input: Extract<Input, { kind: 'child' }>): Turn {
  const { call, a } = input;
  const { flagged, ended, lastEnd } = turn.children;
  if (call === null) {
    // It makes no verdict on a wait, and gives one the time that the parent needs to go on.
    return lastEnd === undefined
      ? turn
      : { ...turn, children: { ...turn.children, lastEnd: Math.max(lastEnd, a) } };
  }
  const without = (table: Readonly<Record<string, Stamp>>): Record<string, Stamp> =>
    Object.fromEntries(Object.entries(table).filter(([id]) => id !== call));
  switch (input.what) {
    case 'flagged':
      return call === undefined
        ? turn
        : { ...turn, children: { ...turn.children, flagged: { ...flagged, [call]: a } } };
    case 'healthy':
      return {
        ...turn,
        children: {
          ...(lastEnd === undefined ? {} : { lastEnd }),
          flagged: without(flagged),
          ended: without(ended),
        },
      };
    case 'ended':
      return {
        ...turn,
        children: {
          flagged,
          ended: call === undefined ? ended : { ...ended, [call]: a },
          lastEnd: Math.max(lastEnd ?? a, a),
        },
      };
  }
}
