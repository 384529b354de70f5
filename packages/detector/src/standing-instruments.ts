import type { Now, Registry } from '@turnwatch/core';
import { type LearnedMetricKey, type MetricKey, phases, type StandingMetricKey } from '@turnwatch/protocol';
import type { Labels, Recorder } from './meters.ts';

type StandingKey = StandingMetricKey | LearnedMetricKey;
type Who = (identity: { readonly provider?: string; readonly model?: string }) => Labels;

export interface StandingSources {
  readonly registry: Pick<Registry, 'standing' | 'oldestSilent' | 'baselines'>;
  readonly now: () => Now;
  /** Bounds how many providers and models there are. */
  readonly who: Who;
}

/** A key has a series in each of five metrics. */
const mostKeys = 200;
/** How the open turns stand and what judges them: read from the registry at each scrape. */
export function standingInstruments(
  { registry, now, who }: StandingSources,
  gauge: (key: MetricKey, observe: (record: Recorder) => void) => Recorder,
): Record<StandingKey, Recorder> {
  const staleGroups = () => {
    const groups = new Map<string, { labels: Labels; turns: number; sinceMs: number }>();
    for (const { reason, provider, model, phase, turns, sinceMs } of registry.standing().stale) {
      const labels = { ...who(known(provider, model)), reason, phase };
      // Groups that fall together under `other` are one series.
      const key = JSON.stringify(labels);
      const group = groups.get(key);
      groups.set(key, {
        labels,
        turns: turns + (group?.turns ?? 0),
        sinceMs: Math.min(sinceMs, group?.sinceMs ?? sinceMs),
      });
    }
    return groups.values();
  };
  const learned = (key: LearnedMetricKey, read: (view: View) => number): Recorder =>
    gauge(key, (record) => {
      const views = registry
        .baselines()
        .sort((a, b) => b.samples - a.samples)
        .slice(0, mostKeys);
      for (const view of views)
        record(read(view), { provider: view.provider, model: view.model, phase: view.phase });
    });
  return {
    openTurns: gauge('openTurns', (record) => {
      const { open } = registry.standing();
      // Also those that nobody is in: a line that ends says nothing.
      for (const phase of phases) record(open.get(phase) ?? 0, { phase });
    }),
    staleTurns: gauge('staleTurns', (record) => {
      for (const { labels, turns } of staleGroups()) record(turns, labels);
    }),
    oldestStale: gauge('oldestStale', (record) => {
      const { wallMs } = now();
      for (const { labels, sinceMs } of staleGroups()) record(Math.max(0, wallMs - sinceMs) / 1000, labels);
    }),
    oldestSilenceThreshold: gauge('oldestSilenceThreshold', (record) => {
      const view = registry.oldestSilent(now())?.view;
      if (view !== undefined && Number.isFinite(view.thresholdMs))
        record((view.thresholdMs + view.confirmMs) / 1000);
    }),
    oldestSilence: gauge('oldestSilence', (record) =>
      record(Math.max(0, registry.oldestSilent(now())?.silenceMs ?? 0) / 1000),
    ),
    learnedThreshold: learned('learnedThreshold', ({ threshold }) => threshold.thresholdMs / 1000),
    learnedGap: learned('learnedGap', ({ maxGapMs }) => maxGapMs / 1000),
    learnedSamples: learned('learnedSamples', ({ samples }) => samples),
    learnedCensored: learned('learnedCensored', ({ censored }) => censored),
    learnedBackoff: learned('learnedBackoff', ({ backoff }) => backoff),
  };
}

type View = ReturnType<Registry['baselines']>[number];

function known(provider: string | undefined, model: string | undefined): Parameters<Who>[0] {
  return {
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
  };
}
