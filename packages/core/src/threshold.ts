import { type Baseline, largestGapMs } from './baseline.ts';
import type { ThresholdSource } from './event.ts';
import { defaultThresholdMs, type JudgedPhase, type KeyParts, type Policy } from './policy.ts';
import { expectedReadMs } from './prompt-reads.ts';

/** What a silence is judged under, at judging time. */
export interface Judging extends KeyParts {
  readonly phase: JudgedPhase;
  /** Evidence came in this phase: the key is `phase+evidence`. */
  readonly evidence: boolean;
  /** Before the first content of the request that the phase belongs to. */
  readonly beforeContent: boolean;
  readonly promptTokens?: number;
}

export interface Threshold {
  readonly thresholdMs: number;
  readonly confirmMs: number;
  readonly source: ThresholdSource;
  /** From this silence on the turn is `suspect`. */
  readonly suspectMs: number;
  readonly samples: number;
  readonly largestGapMs: number;
  /** What of `thresholdMs` is the lag of the turn's path; absent: none. */
  readonly lagMs?: number;
}

/** Tokens a second that a healthy engine reads at least; turns a prompt size into a prior for `first_token`. */
const readRate = { api: 1000, local: 150 } as const;

/** T and C of RULES 3. */
export function thresholdOf(policy: Policy, judging: Judging, baseline: Baseline): Threshold {
  const measured = measuredRule(policy, judging, baseline);
  const rule = policy.preset === 'measured' ? measured : strictRule(policy, judging, baseline);
  const confirmMs = rule.thresholdMs * policy.confirmRatio;
  return {
    thresholdMs: rule.thresholdMs,
    confirmMs,
    source: rule.source,
    suspectMs:
      policy.preset === 'measured'
        ? rule.thresholdMs
        : Math.min(rule.thresholdMs, measured.thresholdMs * (1 + policy.confirmRatio)),
    samples: baseline.samples,
    largestGapMs: largestGapMs(baseline),
  };
}

interface Rule {
  readonly thresholdMs: number;
  readonly source: ThresholdSource;
}

/** Report 002's rule, literally. */
function measuredRule(policy: Policy, judging: Judging, baseline: Baseline): Rule {
  const defaultMs = defaultThresholdMs(policy, 'measured', judging, judging.phase);
  const gap = healthyGap(judging, baseline);
  if (baseline.samples < policy.minSamples)
    return { thresholdMs: Math.max(defaultMs, gap.ms), source: 'default' };
  const rule: Rule = {
    thresholdMs: Math.max(policy.margin * gap.ms, floorMs(policy, judging.phase)),
    source: 'measured',
  };
  return unreadLocal(judging, gap) && rule.thresholdMs < defaultMs
    ? { thresholdMs: defaultMs, source: 'default' }
    : rule;
}

/**
 * Fewest false flags: a margin that shrinks to report 002's 1.5 as samples grow, and a prior that fades out.
 * P(next turn's largest gap > c x max) = c^-alpha / (n + 1) for a Pareto tail.
 */
function strictRule(policy: Policy, judging: Judging, baseline: Baseline): Rule {
  const n = baseline.samples;
  const defaultMs = defaultThresholdMs(policy, 'strict', judging, judging.phase);
  const priorMs =
    judging.phase === 'first_token' && judging.promptTokens !== undefined
      ? Math.max(defaultMs, (judging.promptTokens / readRate[judging.route]) * 1000)
      : defaultMs;
  const margin = policy.margin + 2.6 * Math.sqrt(20 / Math.max(n, 20));
  const gap = healthyGap(judging, baseline);
  const backed = (rule: Rule): Rule => ({ ...rule, thresholdMs: rule.thresholdMs * baseline.backoff });
  if (n < policy.minSamples)
    return backed({ thresholdMs: Math.max(priorMs, margin * gap.ms), source: 'default' });
  const learnedMs = Math.max(margin * gap.ms, floorMs(policy, judging.phase));
  const fadedMs = priorMs * Math.min(1, (100 / n) ** 1.5);
  const rule: Rule = {
    thresholdMs: Math.max(learnedMs, fadedMs),
    source: learnedMs >= fadedMs ? 'measured' : 'default',
  };
  // Report 000: before an engine's first sign, cached reads must not judge a long one.
  if (unreadLocal(judging, gap) && rule.thresholdMs < defaultMs)
    return backed({ thresholdMs: defaultMs, source: 'default' });
  return backed(rule);
}

function healthyGap(
  judging: Judging,
  baseline: Baseline,
): { readonly ms: number; readonly normalised: boolean } {
  if (judging.phase === 'first_token' && !judging.evidence && judging.promptTokens !== undefined) {
    const expected = expectedReadMs(baseline.reads, judging.promptTokens);
    if (expected !== undefined) return { ms: expected, normalised: true };
  }
  return { ms: largestGapMs(baseline), normalised: false };
}

function unreadLocal(judging: Judging, gap: { readonly normalised: boolean }): boolean {
  return (
    judging.route === 'local' &&
    (judging.phase === 'first_token' || judging.phase === 'queued') &&
    judging.beforeContent &&
    !judging.evidence &&
    !gap.normalised
  );
}

function floorMs(policy: Policy, phase: JudgedPhase): number {
  return phase === 'first_token' || phase === 'queued' ? policy.floorMs.first_token : policy.floorMs.other;
}

/** Chance that the next healthy turn of this key is silent for as long (Pareto tail 1.5); null while nothing is known. */
export function falseFlagEstimate(threshold: Threshold, policy: Policy): number | null {
  if (threshold.samples === 0 || threshold.largestGapMs === 0) return null;
  const ratio = ((1 + policy.confirmRatio) * threshold.thresholdMs) / threshold.largestGapMs;
  return ratio ** -1.5 / (threshold.samples + 1);
}
