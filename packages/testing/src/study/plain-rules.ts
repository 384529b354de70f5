import type { DetectionRule, Trial } from './detection-rule.ts';
import { gapsOf, tokenMs } from './plan.ts';
import { beatMs } from './reporter.ts';
import { emptyTally, type Tally, warmthOf } from './tally.ts';

// What others do, small and for comparison only. Both see the same heartbeats as the core and take every sign of life for
// activity, evidence of an engine included.

interface Timeout {
  readonly name: string;
  /** ms. */
  limitMs(): number;
  /** `count` gaps of this length were seen. */
  learn(gapMs: number, count: number): void;
}

/** One time limit for everything. */
export function fixedTimeout(seconds: number): Timeout {
  return {
    name: `fixed ${seconds} s`,
    limitMs: () => seconds * 1000,
    learn: () => undefined,
  };
}

const windowSize = 1000;
const leastStdMs = 100;
const acceptedPauseMs = 3000;

/**
 * phi-accrual with the usual numbers: the last 1,000 gaps, a standard deviation of at least 100 ms, an accepted pause of
 * 3 s. phi is inverted, so that a gap can be held against it.
 */
export function phiAccrual(phi: number): Timeout {
  const gaps = new Float64Array(windowSize);
  let known = 0;
  let sum = 0;
  let squares = 0;
  const deviations = deviationsFor(phi);
  const push = (gapMs: number): void => {
    const slot = known % windowSize;
    const old = known < windowSize ? 0 : (gaps[slot] ?? 0);
    gaps[slot] = gapMs;
    sum += gapMs - old;
    squares += gapMs * gapMs - old * old;
    known++;
  };
  return {
    name: `phi ${phi}`,
    limitMs: () => {
      const n = Math.min(known, windowSize);
      // Nothing is known: the usual first guess of one second.
      const mean = n === 0 ? 1000 : sum / n;
      const std = n === 0 ? 250 : Math.sqrt(Math.max(0, squares / n - mean * mean));
      return mean + acceptedPauseMs + deviations * Math.max(std, leastStdMs);
    },
    learn: (gapMs, count) => {
      for (let i = Math.min(count, windowSize); i > 0; i--) push(gapMs);
    },
  };
}

/** How many standard deviations above the mean the logistic approximation of the normal tail reaches `phi`. */
function deviationsFor(phi: number): number {
  const phiAt = (y: number): number => {
    const e = Math.exp(-y * (1.5976 + 0.070566 * y * y));
    return -Math.log10(e / (1 + e));
  };
  let low = 0;
  let high = 20;
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (phiAt(middle) < phi) low = middle;
    else high = middle;
  }
  return high;
}

export class TimeoutRule implements DetectionRule {
  readonly tally: Tally;
  readonly #timeout: Timeout;

  constructor(timeout: Timeout) {
    this.tally = emptyTally(timeout.name);
    this.#timeout = timeout;
  }

  play(trial: Trial): void {
    const { plan, stop, index, beatPhaseMs, killed } = trial;
    const { tally } = this;
    if (stop === undefined) {
      tally.turns++;
      tally.turnsBy[warmthOf(index)]++;
      if (plan.stalledUntilMs !== undefined) tally.recovering++;
    }
    let flagged = false;
    let next = 0;
    for (const gap of gapsOf(plan)) {
      const limitMs = this.#timeout.limitMs();
      const dueMs =
        beatPhaseMs + Math.max(0, Math.ceil((gap.fromMs + limitMs - beatPhaseMs) / beatMs)) * beatMs;
      if (dueMs < gap.toMs) {
        if (stop !== undefined && gap.toMs === Number.POSITIVE_INFINITY) {
          tally.delaysMs[stop].push(dueMs - gap.fromMs);
          tally.beyondMs.push(dueMs - gap.fromMs - limitMs);
          return;
        }
        if (stop === undefined) {
          if (gap.toMs === plan.stalledUntilMs) tally.recoveringFound++;
          else if (!flagged) {
            flagged = true;
            tally.flagged++;
            tally.flaggedBy[warmthOf(index)]++;
            tally.flaggedIn[gap.class] = (tally.flaggedIn[gap.class] ?? 0) + 1;
          }
          if (killed) return;
          tally.mistakesMs.push(gap.toMs - dueMs);
        }
        // The first sign of life after a failure does not teach: a long pause would skew everything.
      } else this.#timeout.learn(gap.toMs - gap.fromMs, 1);
      const run = plan.steps[next++];
      if (run !== undefined && run.untilMs > run.atMs)
        this.#timeout.learn(tokenMs, (run.untilMs - run.atMs) / tokenMs);
    }
  }
}
