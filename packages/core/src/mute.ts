import type { Context } from './context.ts';
import { eventBase } from './details.ts';
import type { Orders } from './orders.ts';
import type { Transition, TurnEffect } from './settle.ts';
import type { Now, WallMs } from './time.ts';
import type { Turn } from './turn.ts';

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
    if (effect.event.type === 'turn.stale') {
      untold = muted;
      return !muted;
    }
    if (effect.event.type !== 'turn.recovered') return !muted;
    const heldBack = untold;
    untold = false;
    return !heldBack;
  });
  if (told.length === effects.length && untold === orders.untold) return [turn, effects];
  return [{ ...turn, orders: { ...orders, untold } }, told];
}

/** A verdict that was held back and still stands is told when the mute is over. */
export function tellHeldBack(turn: Turn, ctx: Context): Transition {
  const { orders, verdict } = turn;
  if (orders?.untold !== true || verdict.state !== 'stale' || muteAt(orders, ctx.now.wallMs) !== undefined)
    return [turn, []];
  return [
    { ...turn, orders: { ...orders, untold: false } },
    [
      {
        kind: 'publish',
        event: { ...eventBase(turn, ctx), type: 'turn.stale', stale: verdict.details },
      },
      { kind: 'keep', turn: turn.id },
    ],
  ];
}

/** When a held back verdict is to be told, on the boot clock. */
export function muteEndsMs({ orders, verdict }: Turn, now: Now): number {
  if (orders?.untold !== true || verdict.state !== 'stale') return Number.POSITIVE_INFINITY;
  const until = orders.muted === undefined ? now.wallMs : orders.muted.untilMs;
  return until === null ? Number.POSITIVE_INFINITY : now.bootMs + (until - now.wallMs);
}
