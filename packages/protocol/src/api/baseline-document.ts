import type { BaselineView, ThresholdSource } from '@turnwatch/core';
import { z } from 'zod';
import { wholeMs } from '../event/stale-data.ts';
import { thresholdSources } from '../vocabulary.ts';

interface GapDocument {
  readonly gapMs: number;
  readonly turn: string;
}

/** What one key (provider, model, phase, with evidence or without) has learned of healthy turns. */
export interface BaselineDocument {
  readonly key: string;
  readonly provider: string;
  readonly model: string;
  readonly phase: string;
  /** Healthy turns that taught it. */
  readonly samples: number;
  readonly largestGapMs: number;
  /** The eight largest, which decide; an operator may exclude one. */
  readonly largestGaps: readonly GapDocument[];
  readonly excluded: readonly GapDocument[];
  readonly largestPingedGapMs: number;
  /** Turns that a time-out, a user or a verdict ended: they teach nothing. */
  readonly censored: number;
  readonly largestCensoredGapMs: number;
  /** 1 to 8; doubled by each verdict that was refuted. */
  readonly backoff: number;
  readonly quantilesMs: { readonly p50: number; readonly p90: number; readonly p99: number } | null;
  /** The distribution of all gaps, shortest first: `count` of them up to `toMs`. Gaps that an older version learned are not in it. */
  readonly buckets: readonly { readonly toMs: number; readonly count: number }[];
  /** What judges now, for an API without a known prompt size. */
  readonly thresholdMs: number;
  readonly thresholdSource: ThresholdSource;
  readonly confirmMs: number;
  readonly suspectMs: number;
}

export interface BaselineList {
  readonly baselines: readonly BaselineDocument[];
}

export function toBaselineDocument(view: BaselineView): BaselineDocument {
  const { threshold, quantilesMs } = view;
  const gaps = (all: BaselineView['largestGaps']): GapDocument[] =>
    all.map(({ gapMs, turn }) => ({ gapMs: wholeMs(gapMs), turn }));
  return {
    key: view.key,
    provider: view.provider,
    model: view.model,
    phase: view.phase,
    samples: view.samples,
    largestGapMs: wholeMs(view.maxGapMs),
    largestGaps: gaps(view.largestGaps),
    excluded: gaps(view.excluded),
    largestPingedGapMs: wholeMs(view.maxPingedMs),
    censored: view.censored,
    largestCensoredGapMs: wholeMs(view.largestCensoredMs),
    backoff: view.backoff,
    quantilesMs: quantilesMs && {
      p50: wholeMs(quantilesMs.p50),
      p90: wholeMs(quantilesMs.p90),
      p99: wholeMs(quantilesMs.p99),
    },
    buckets: view.buckets.map(({ toMs, count }) => ({ toMs: wholeMs(toMs), count })),
    thresholdMs: wholeMs(threshold.thresholdMs),
    thresholdSource: threshold.source,
    confirmMs: wholeMs(threshold.confirmMs),
    suspectMs: wholeMs(threshold.suspectMs),
  };
}

const durationMs = z.int().nonnegative();
const gap = z.object({ gapMs: durationMs, turn: z.string() });

/** Answer of `GET /v1/baselines/:key`. */
export const baselineDocument: z.ZodType<BaselineDocument> = z.object({
  key: z.string(),
  provider: z.string(),
  model: z.string(),
  phase: z.string(),
  samples: z.int().nonnegative(),
  largestGapMs: durationMs,
  largestGaps: z.array(gap),
  excluded: z.array(gap),
  largestPingedGapMs: durationMs,
  censored: z.int().nonnegative(),
  largestCensoredGapMs: durationMs,
  backoff: z.number().min(1).max(8),
  quantilesMs: z.object({ p50: durationMs, p90: durationMs, p99: durationMs }).nullable(),
  buckets: z.array(z.object({ toMs: durationMs, count: z.int().positive() })),
  thresholdMs: durationMs,
  thresholdSource: z.enum(thresholdSources),
  confirmMs: durationMs,
  suspectMs: durationMs,
});

/** Answer of `GET /v1/baselines`. */
export const baselineList: z.ZodType<BaselineList> = z.object({ baselines: z.array(baselineDocument) });
