import type { Turn } from './turn.ts';

/** Which turns are wanted. It is asked of each turn as it is kept, before anything is computed of it. */
export interface TurnSelection {
  readonly fits: (turn: Turn) => boolean;
  /** The first so many of those that fit. Default: all. */
  readonly limit?: number;
}

/** Newest start first; the id decides between equals, so that an order holds from page to page. */
export function selected(turns: Iterable<Turn>, which?: TurnSelection): readonly Turn[] {
  const found: Turn[] = [];
  for (const turn of turns) if (which === undefined || which.fits(turn)) found.push(turn);
  found.sort((one, other) => other.startedMs - one.startedMs || (one.id < other.id ? -1 : 1));
  return found.slice(0, which?.limit);
}
