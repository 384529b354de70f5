import { type StopKind, stopKinds } from './plan.ts';

/** How many healthy turns its key had seen when a turn began: how warm it was. */
export const warmths = ['n < 20', '20-100', '100-1,000', '1,000+'] as const;
export type Warmth = (typeof warmths)[number];

export function warmthOf(turnsBefore: number): Warmth {
  if (turnsBefore < 20) return 'n < 20';
  if (turnsBefore < 100) return '20-100';
  return turnsBefore < 1000 ? '100-1,000' : '1,000+';
}

/** What one rule made of the turns of one scenario. Plain data: it goes from worker threads to the main one. */
export interface Tally {
  readonly rule: string;
  turns: number;
  flagged: number;
  readonly turnsBy: Record<Warmth, number>;
  readonly flaggedBy: Record<Warmth, number>;
  /** In which phases, for the reader who wants to know why. */
  readonly flaggedIn: Record<string, number>;
  /** Last sign of life to verdict, ms. */
  readonly delaysMs: Record<StopKind, number[]>;
  /** Verdict minus T + C, ms. */
  readonly beyondMs: number[];
  /** Stops that were not found within a day. */
  missed: number;
  /** From a false verdict to its refutation, ms (T_M). */
  readonly mistakesMs: number[];
  /** Stalls that were real and recovered: how many, and how many were told. */
  recovering: number;
  recoveringFound: number;
}

export function emptyTally(rule: string): Tally {
  return {
    rule,
    turns: 0,
    flagged: 0,
    turnsBy: { 'n < 20': 0, '20-100': 0, '100-1,000': 0, '1,000+': 0 },
    flaggedBy: { 'n < 20': 0, '20-100': 0, '100-1,000': 0, '1,000+': 0 },
    flaggedIn: {},
    delaysMs: { first: [], read: [], mid: [] },
    beyondMs: [],
    missed: 0,
    mistakesMs: [],
    recovering: 0,
    recoveringFound: 0,
  };
}

export function addTally(to: Tally, from: Tally): void {
  to.turns += from.turns;
  to.flagged += from.flagged;
  to.missed += from.missed;
  to.recovering += from.recovering;
  to.recoveringFound += from.recoveringFound;
  for (const warmth of warmths) {
    to.turnsBy[warmth] += from.turnsBy[warmth];
    to.flaggedBy[warmth] += from.flaggedBy[warmth];
  }
  for (const [phase, count] of Object.entries(from.flaggedIn))
    to.flaggedIn[phase] = (to.flaggedIn[phase] ?? 0) + count;
  for (const kind of stopKinds) append(to.delaysMs[kind], from.delaysMs[kind]);
  append(to.beyondMs, from.beyondMs);
  append(to.mistakesMs, from.mistakesMs);
}

function append(to: number[], from: readonly number[]): void {
  for (const each of from) to.push(each);
}
