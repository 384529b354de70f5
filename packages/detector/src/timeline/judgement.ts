import type { BaselineView, TurnView } from '@turnwatch/core';
import type { JudgedNumber, Judgement } from '@turnwatch/protocol';
import { sentenceOf } from './sentence.ts';

export interface JudgementInput {
  readonly view: TurnView;
  /** What its key has learned. */
  readonly learned: Pick<BaselineView, 'samples' | 'maxGapMs' | 'backoff' | 'censored'>;
  readonly confirmRatio: number;
  readonly minSamples: number;
}

/** The numbers a turn is judged by, each with where it comes from. */
export function judgementOf({ view, learned, confirmRatio, minSamples }: JudgementInput): Judgement {
  const { verdict } = view;
  const at = verdict ?? view;
  const ms = (name: string, value: number | null, source: string): JudgedNumber => ({
    name,
    value: value === null || !Number.isFinite(value) ? null : Math.max(0, Math.round(value)),
    unit: 'ms',
    source,
  });
  const proof =
    view.precision === 'proven'
      ? 'proven by the heartbeats of its process'
      : 'by arrival: it sends no heartbeats';
  const numbers: JudgedNumber[] = [
    ms('silence', at.silenceMs, verdict === null ? proof : `at the verdict; ${proof}`),
    ms('threshold', at.thresholdMs, thresholdWords(at.thresholdSource, learned.samples, minSamples)),
    ...(view.lagMs === 0
      ? []
      : [ms('lag', view.lagMs, `part of the threshold: largest lag of path ${view.path} in the last hours`)]),
    ms('confirm window', at.confirmMs, `${confirmRatio} × threshold (policy.confirmRatio)`),
    ms(
      'longest healthy gap',
      verdict === null ? (learned.samples > 0 ? learned.maxGapMs : null) : verdict.largestHealthyGapMs,
      'the longest silence of any completed turn of this provider, model and phase',
    ),
    {
      name: 'samples',
      value: verdict?.samples ?? learned.samples,
      unit: 'turns',
      source: `completed turns that taught this key; measured from ${minSamples} on`,
    },
  ];
  if (learned.backoff > 1)
    numbers.push({
      name: 'back-off',
      value: Number(learned.backoff.toFixed(2)),
      unit: 'x',
      source: 'verdicts of this key were refuted; it heals with healthy turns',
    });
  if (verdict?.falseFlagEstimate != null)
    numbers.push({
      name: 'chance of a false flag',
      value: Number(verdict.falseFlagEstimate.toPrecision(2)),
      unit: 'share',
      source: 'that a healthy turn is silent for as long (Pareto tail 1.5)',
    });
  for (const call of verdict?.pendingCalls ?? view.calls) {
    const name = call.name ?? call.id;
    numbers.push(ms(`${name} quiet`, call.quietMs, 'since its start or its own last update'));
    numbers.push(
      ms(`${name} grace`, call.graceMs, 'policy.toolIdleTimeoutMs × pendingGraceMultiplier, or declared'),
    );
  }
  return {
    sentence: sentenceOf(view),
    of: verdict === null ? 'now' : 'verdict',
    reason: view.reason,
    thresholdSource: at.thresholdSource,
    numbers,
  };
}

function thresholdWords(source: string, samples: number, minSamples: number): string {
  if (source === 'measured') return `measured: the margin × the longest healthy gap of ${samples} turns`;
  if (source !== 'default') return source;
  return samples < minSamples
    ? `default of the policy: ${samples} of ${minSamples} turns learned`
    : 'default of the policy: still above what was measured';
}
