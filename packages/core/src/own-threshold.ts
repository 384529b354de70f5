import type { JudgedPhase, Policy } from './policy.ts';
import type { Threshold } from './threshold.ts';
import type { Turn } from './turn.ts';

/** The threshold of an operator in the place of the rule's. */
export function ownThreshold(
  { orders }: Turn,
  phase: JudgedPhase,
  threshold: Threshold,
  policy: Policy,
): Threshold {
  const thresholdMs = orders?.thresholdsMs[phase] ?? orders?.thresholdsMs.all;
  if (thresholdMs === undefined) return threshold;
  return {
    ...threshold,
    thresholdMs,
    confirmMs: thresholdMs * policy.confirmRatio,
    suspectMs: thresholdMs,
    source: 'operator',
  };
}
