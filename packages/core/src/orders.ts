import type { Context } from './context.ts';
import type { JudgedPhase } from './policy.ts';
import { endTurn, type Transition } from './settle.ts';
import type { WallMs } from './time.ts';
import type { Turn } from './turn.ts';
import type { TurnStateName } from './view.ts';

// What an operator may say of one turn. Rules judge; people may know better, and what they said stands beside the
// verdict with who said it and why.

/** Who gave an order, and why. */
export interface OrderedBy {
  /** The id of a token or user, never a secret. */
  readonly by: string;
  readonly why: string | null;
}

export type OperatorOrder = OrderedBy &
  (
    | { readonly name: 'acknowledge' }
    /** `untilMs` null: until it is unmuted. */
    | { readonly name: 'mute'; readonly untilMs: WallMs | null }
    | { readonly name: 'unmute' }
    /** The turn is over, whatever its agent says. */
    | { readonly name: 'close' }
    /** `thresholdMs` null: the learned one again. */
    | {
        readonly name: 'threshold';
        readonly phase: JudgedPhase | 'all';
        readonly thresholdMs: number | null;
      }
  );

interface Ordered extends OrderedBy {
  readonly atMs: WallMs;
}

/** Thresholds that an operator has set, by phase. One for the phase itself wins over `all`. */
export type OwnThresholds = Readonly<Partial<Record<JudgedPhase | 'all', number>>>;

/** The orders that stand for a turn. They hold over attempts and adoptions; an acknowledgement is of one episode. */
export interface Orders {
  readonly acknowledged?: Ordered & { readonly attempt: number; readonly episode: number };
  readonly muted?: Ordered & { readonly untilMs: WallMs | null };
  readonly closed?: Ordered;
  readonly thresholdsMs: OwnThresholds;
  /** The verdict that stands, stale or expired, was not told, because the turn was muted. */
  readonly untold: boolean;
}

const noOrders: Orders = { thresholdsMs: {}, untold: false };

/** Takes an order, where it is one for such a turn ({@link takesOrder}). */
export function ordered(turn: Turn, order: OperatorOrder, ctx: Context): Transition {
  if (!takesOrder(turn.verdict.state, order.name)) return [turn, []];
  const by: Ordered = { by: order.by, why: order.why, atMs: ctx.now.wallMs };
  const orders = turn.orders ?? noOrders;
  if (order.name !== 'close')
    return [{ ...turn, orders: withOrder(turn, orders, order, by) }, [{ kind: 'keep', turn: turn.id }]];
  const [closed, effects] = endTurn(turn, 'closed', ctx);
  return [{ ...closed, orders: { ...orders, closed: by } }, effects];
}

/**
 * A settled turn can be acknowledged, and nothing else; but one that expired while it was muted can be unmuted, so that it
 * is told of.
 */
export function takesOrder(state: TurnStateName, order: OperatorOrder['name']): boolean {
  if (order === 'acknowledge') return true;
  return state === 'expired' ? order === 'unmute' : state !== 'ended';
}

function withOrder(
  turn: Turn,
  orders: Orders,
  order: Exclude<OperatorOrder, { readonly name: 'close' }>,
  by: Ordered,
): Orders {
  switch (order.name) {
    case 'acknowledge':
      return { ...orders, acknowledged: { ...by, attempt: turn.attempt, episode: turn.episode } };
    case 'mute':
      return { ...orders, muted: { ...by, untilMs: order.untilMs } };
    case 'unmute': {
      const { muted: _over, ...rest } = orders;
      return rest;
    }
    case 'threshold': {
      const { [order.phase]: _before, ...others } = orders.thresholdsMs;
      const own = order.thresholdMs === null ? {} : { [order.phase]: order.thresholdMs };
      return { ...orders, thresholdsMs: { ...others, ...own } };
    }
  }
}
