/**
 * How often a healthy turn's largest silence was how long, for people; the rule needs none of it. 192 buckets whose
 * bounds grow by a tenth each, from a millisecond to a day; only those that hold something are there.
 */
export type GapHistogram = Readonly<Record<number, number>>;

const growth = 1.1;
const buckets = 192;

export function countGap(histogram: GapHistogram, gapMs: number): GapHistogram {
  const bucket = gapMs < 1 ? 0 : Math.min(buckets - 1, Math.floor(Math.log(gapMs) / Math.log(growth)) + 1);
  return { ...histogram, [bucket]: (histogram[bucket] ?? 0) + 1 };
}

/** The buckets that hold something, smallest first. `toMs` is where a bucket ends. */
export function gapBuckets(
  histogram: GapHistogram,
): readonly { readonly toMs: number; readonly count: number }[] {
  return Object.entries(histogram).map(([bucket, count]) => ({ toMs: growth ** Number(bucket), count }));
}

/** The end of the bucket in which the quantile lies, so at most a tenth too long; null while nothing is counted. */
export function gapQuantileMs(histogram: GapHistogram, quantile: number): number | null {
  const known = gapBuckets(histogram);
  const total = known.reduce((sum, { count }) => sum + count, 0);
  let seen = 0;
  for (const { toMs, count } of known) {
    seen += count;
    if (seen >= quantile * total) return toMs;
  }
  return null;
}
