import {
  admit,
  type Baseline,
  censor,
  emptyBaseline,
  exclude,
  include,
  largestGapMs,
  refute,
  type TopGap,
} from './baseline.ts';
import type { Effect } from './event.ts';
import { gapBuckets, gapQuantileMs } from './gap-histogram.ts';
import { type PhaseKey, parseKey, phaseOf } from './key.ts';
import type { Policy } from './policy.ts';
import type { Teaching } from './settle.ts';
import { type Threshold, thresholdOf } from './threshold.ts';

/** What a key has learned and what it makes of it, for people. */
export interface BaselineView {
  readonly key: string;
  readonly provider: string;
  readonly model: string;
  /** With `+evidence` where it is about silences with evidence inside. */
  readonly phase: PhaseKey;
  readonly samples: number;
  readonly maxGapMs: number;
  readonly maxPingedMs: number;
  readonly backoff: number;
  readonly censored: number;
  readonly largestCensoredMs: number;
  readonly largestGaps: readonly TopGap[];
  readonly excluded: readonly TopGap[];
  /** Of all gaps; null while there is none. */
  readonly quantilesMs: { readonly p50: number; readonly p90: number; readonly p99: number } | null;
  readonly buckets: readonly { readonly toMs: number; readonly count: number }[];
  /** What judges now, for an API without a known prompt size. */
  readonly threshold: Threshold;
}

export interface SavedBaseline {
  readonly key: string;
  readonly baseline: Baseline;
}

/** All that has been learned, by key. */
export class Baselines {
  readonly #byKey = new Map<string, Baseline>();

  read(key: string): Baseline {
    return this.#byKey.get(key) ?? emptyBaseline;
  }

  /** What an older version saved lacks what is newer. */
  set(key: string, baseline: Baseline): void {
    this.#byKey.set(key, { ...emptyBaseline, ...baseline });
  }

  /** Nobody has learned from it for long. */
  drop(key: string): void {
    this.#byKey.delete(key);
  }

  teach(teaching: Teaching): void {
    const known = this.read(teaching.key);
    switch (teaching.kind) {
      case 'admit':
        this.#byKey.set(teaching.key, admit(known, teaching.lesson));
        return;
      case 'censor':
        this.#byKey.set(teaching.key, censor(known, teaching.gapMs));
        return;
      case 'refute':
        this.#byKey.set(teaching.key, refute(known));
        return;
    }
  }

  /** An operator's word: this turn's gap is no example. Returns false where the key does not hold it. */
  exclude(key: string, turn: string): boolean {
    const known = this.#byKey.get(key);
    if (known === undefined || !holds(known.top, turn)) return false;
    this.#byKey.set(key, exclude(known, turn));
    return true;
  }

  /** Takes an exclusion back. Returns false where there is none. */
  include(key: string, turn: string): boolean {
    const known = this.#byKey.get(key);
    if (known === undefined || !holds(known.excluded, turn)) return false;
    this.#byKey.set(key, include(known, turn));
    return true;
  }

  /** An operator's word on one turn's gap, as effects: none where the key does not hold it. */
  exempt(key: string, turn: string, what: 'exclude' | 'include'): Effect[] {
    return this[what](key, turn) ? [{ kind: 'learned', key }] : [];
  }

  views(policy: Policy): BaselineView[] {
    return [...this.#byKey].map(([key, baseline]) => viewOf(key, baseline, policy));
  }

  keys(): IterableIterator<string> {
    return this.#byKey.keys();
  }
}

function holds(gaps: readonly TopGap[], turn: string): boolean {
  return gaps.some((gap) => gap.turn === turn);
}

function viewOf(key: string, baseline: Baseline, policy: Policy): BaselineView {
  const { provider, model, phase } = parseKey(key);
  const { judged, evidence } = phaseOf(phase);
  const { histogram } = baseline;
  const quantile = (share: number): number | null => gapQuantileMs(histogram, share);
  const [p50, p90, p99] = [quantile(0.5), quantile(0.9), quantile(0.99)];
  return {
    key,
    provider,
    model,
    phase,
    samples: baseline.samples,
    maxGapMs: largestGapMs(baseline),
    maxPingedMs: baseline.maxPingedMs,
    backoff: baseline.backoff,
    censored: baseline.censored,
    largestCensoredMs: baseline.largestCensoredMs,
    largestGaps: baseline.top,
    excluded: baseline.excluded,
    quantilesMs: p50 === null || p90 === null || p99 === null ? null : { p50, p90, p99 },
    buckets: gapBuckets(histogram),
    threshold: thresholdOf(
      policy,
      { provider, model, route: 'api', phase: judged, evidence, beforeContent: false },
      baseline,
    ),
  };
}
