import { countGap, type GapHistogram } from './gap-histogram.ts';
import { emptyPromptReads, learnRead, type PromptReads } from './prompt-reads.ts';

/** One of the largest gaps a key has learned; the turn lets an operator exclude it. */
export interface TopGap {
  readonly gapMs: number;
  readonly turn: string;
}

/**
 * What one key (provider | model | phase | evidence or none) has learned. The rule needs only the count, the largest
 * gaps and the reads; the histogram is for people.
 */
export interface Baseline {
  /** Healthy turns that taught this key. */
  readonly samples: number;
  /** The eight largest admitted gaps, largest first. */
  readonly top: readonly TopGap[];
  /** Largest content gap with keep-alives inside it; bare keys only. */
  readonly maxPingedMs: number;
  /** 1 to 8. Doubled by each refuted `silence` verdict: flagged turns teach too late (Karn). */
  readonly backoff: number;
  /** Gaps of turns that a time-out, a user or a verdict ended: how many, and the largest. They teach nothing. */
  readonly censored: number;
  readonly largestCensoredMs: number;
  /** First-token times by prompt size. */
  readonly reads: PromptReads;
  /** Of all admitted gaps, also those that were excluded. */
  readonly histogram: GapHistogram;
  /** What operators took out of `top`, newest last: to be put back, should they think again. */
  readonly excluded: readonly TopGap[];
}

export const emptyBaseline: Baseline = {
  samples: 0,
  top: [],
  maxPingedMs: 0,
  backoff: 1,
  censored: 0,
  largestCensoredMs: 0,
  reads: emptyPromptReads,
  histogram: {},
  excluded: [],
};

const topGaps = 8;
const keptExclusions = 100;
const maxBackoff = 8;
const healing = 0.98;

export function largestGapMs(baseline: Baseline): number {
  return baseline.top[0]?.gapMs ?? 0;
}

/** One healthy turn's lesson for one key. */
export interface Lesson {
  readonly turn: string;
  /** The largest silence of the turn under this key, as it was judged. Absent: no sample, only what else was seen. */
  readonly gapMs?: number;
  readonly pingedMs?: number;
  /** First-token times of its requests with a known prompt size. */
  readonly reads?: readonly { readonly tokens: number; readonly ms: number }[];
}

/** Admits the lesson of a turn that settled `completed`, and lets the back-off heal. */
export function admit(baseline: Baseline, lesson: Lesson): Baseline {
  const maxPingedMs = Math.max(baseline.maxPingedMs, lesson.pingedMs ?? 0);
  if (lesson.gapMs === undefined) return { ...baseline, maxPingedMs };
  const top = largest([...baseline.top, { gapMs: lesson.gapMs, turn: lesson.turn }]);
  return {
    ...baseline,
    samples: baseline.samples + 1,
    top,
    maxPingedMs,
    backoff: 1 + (baseline.backoff - 1) * healing,
    histogram: countGap(baseline.histogram, lesson.gapMs),
    reads: (lesson.reads ?? []).reduce(learnRead, baseline.reads),
  };
}

export function refute(baseline: Baseline): Baseline {
  return { ...baseline, backoff: Math.min(maxBackoff, baseline.backoff * 2) };
}

export function censor(baseline: Baseline, gapMs: number): Baseline {
  return {
    ...baseline,
    censored: baseline.censored + 1,
    largestCensoredMs: Math.max(baseline.largestCensoredMs, gapMs),
  };
}

/** An operator takes one turn's gap out. The count of samples stays: the turn was healthy, its gap is not typical. */
export function exclude(baseline: Baseline, turn: string): Baseline {
  const [out, top] = parted(baseline.top, turn);
  return { ...baseline, top, excluded: [...baseline.excluded, ...out].slice(-keptExclusions) };
}

/** Takes an exclusion back. */
export function include(baseline: Baseline, turn: string): Baseline {
  const [back, excluded] = parted(baseline.excluded, turn);
  return { ...baseline, top: largest([...baseline.top, ...back]), excluded };
}

function parted(gaps: readonly TopGap[], turn: string): [of: TopGap[], others: TopGap[]] {
  return [gaps.filter((gap) => gap.turn === turn), gaps.filter((gap) => gap.turn !== turn)];
}

function largest(gaps: readonly TopGap[]): TopGap[] {
  return [...gaps].sort((a, b) => b.gapMs - a.gapMs).slice(0, topGaps);
}
