import type { Context } from './context.ts';
import { eventBase } from './details.ts';
import type { TurnEvent } from './event.ts';
import type { Orders } from './orders.ts';
import type { Transition, TurnEffect } from './settle.ts';
import type { Now, WallMs } from './time.ts';
import type { Turn, Verdict } from './turn.ts';

/** What is told of, and held back while the turn is muted. */
type Told = Extract<Verdict, { state: 'stale' | 'expired' }>;

/** The mute that holds at an instant. */
export function muteAt({ muted }: Orders, nowMs: WallMs): Orders['muted'] {
  return muted === undefined || (muted.untilMs !== null && nowMs >= muted.untilMs) ? undefined : muted;
}

/**
 * Holds back what a muted turn would tell; the verdicts stand. The recovery from a verdict that was told is told all the
 * same, so that nobody goes on believing it.
 */
export function hush(turn: Turn, effects: readonly TurnEffect[], ctx: Context): Transition {
  const { orders } = turn;
  if (orders === undefined || effects.length === 0) return [turn, effects];
  const muted = muteAt(orders, ctx.now.wallMs) !== undefined;
  let { untold } = orders;
  const told = effects.filter((effect) => {
    if (effect.kind !== 'publish') return true;
    if (effect.event.type === 'turn.stale' || effect.event.type === 'turn.expired') {
      untold = muted;
      return !muted;
    }
    if (effect.event.type !== 'turn.recovered') return !muted;
    const staleUntold = untold;
    untold = false;
    return !staleUntold;
  });
  if (told.length === effects.length && untold === orders.untold) return [turn, effects];
  return [{ ...turn, orders: { ...orders, untold } }, told];
}

/** A verdict that was held back and still stands is told when the mute is over: stale, or expired, which stands for good. */
export function tellHeldBack(turn: Turn, ctx: Context): Transition {
  const held = heldBack(turn);
  if (held === undefined || muteAt(held.orders, ctx.now.wallMs) !== undefined) return [turn, []];
  const { orders, verdict } = held;
  const base = eventBase(turn, ctx);
  const event: TurnEvent =
    verdict.state === 'stale'
      ? { ...base, type: 'turn.stale', stale: verdict.details }
      : { ...base, type: 'turn.expired', expired: verdict.details };
  return [
    { ...turn, orders: { ...orders, untold: false } },
    [
      { kind: 'publish', event },
      { kind: 'keep', turn: turn.id },
    ],
  ];
}

function heldBack({
  orders,
  verdict,
}: Turn): { readonly orders: Orders; readonly verdict: Told } | undefined {
  if (orders?.untold !== true) return undefined;
  return verdict.state === 'stale' || verdict.state === 'expired' ? { orders, verdict } : undefined;
}

/** When a held back verdict is to be told, on the boot clock. */
export function muteEndsMs(turn: Turn, now: Now): number {
  const held = heldBack(turn);
  if (held === undefined) return Number.POSITIVE_INFINITY;
  const { muted } = held.orders;
  const until = muted === undefined ? now.wallMs : muted.untilMs;
  return until === null ? Number.POSITIVE_INFINITY : now.bootMs + (until - now.wallMs);
}
