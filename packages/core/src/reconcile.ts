import type { Outcome, ProcessSignal } from './signal.ts';
import { ownerIs, type Turn } from './turn.ts';

/** A process heartbeat, with the turns that are open and those that ended in the last 60 s. */
export type Listing = Extract<ProcessSignal, { name: 'started' | 'heartbeat' }>;

/**
 * How a turn has ended as far as a listing of its own process tells; undefined: it has not, or the listing is older or
 * was cut on its way. `open` is the listing's own ids.
 * A turn that is simply gone from the list has ended, nobody knows how, and teaches nothing.
 */
export function listedEnd(turn: Turn, listing: Listing, open: ReadonlySet<string>): Outcome | undefined {
  const { origin } = listing;
  if (turn.coarse || !ownerIs(turn, origin.process, origin.boot) || turn.seq > origin.seq) return undefined;
  if (open.has(turn.id)) return undefined;
  const ended = listing.endedTurns.find((each) => each.turn === turn.id && each.attempt === turn.attempt);
  if (ended !== undefined) return ended.outcome;
  return open.size === listing.openCount ? 'unknown' : undefined;
}
