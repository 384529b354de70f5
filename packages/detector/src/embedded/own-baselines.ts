import { emptyBaseline, type SavedBaseline } from '@turnwatch/core';

/** What the agent has kept of an earlier run. It comes from its own files: what is broken is told and left out. */
export function ownBaselines(
  kept: readonly SavedBaseline[],
  onBroken: (trouble: Error) => void,
): SavedBaseline[] {
  if (!Array.isArray(kept)) {
    onBroken(new TypeError('baselines: not a list; nothing is known from before'));
    return [];
  }
  return kept.flatMap((each: unknown, at) => {
    const fault = faultOf(each);
    if (fault === undefined) {
      const { key, baseline } = each as SavedBaseline;
      return [{ key, baseline: { ...emptyBaseline, ...baseline } }];
    }
    onBroken(new TypeError(`baselines[${at}]: ${fault}; its key starts anew`));
    return [];
  });
}

function faultOf(each: unknown): string | undefined {
  if (!isRecord(each) || typeof each.key !== 'string') return 'no key';
  const { baseline } = each;
  if (!isRecord(baseline)) return `${each.key}: no baseline`;
  for (const name of ['samples', 'maxPingedMs', 'backoff', 'censored', 'largestCensoredMs'] as const)
    if (name in baseline && !isAmount(baseline[name])) return `${each.key}: ${name} is no number from 0`;
  const { top = [] } = baseline;
  if (!Array.isArray(top) || !top.every((gap: unknown) => isRecord(gap) && isAmount(gap.gapMs)))
    return `${each.key}: top is no list of gaps`;
  const { reads = emptyBaseline.reads } = baseline;
  if (!isRecord(reads) || ![reads.recent, reads.stairs].every(isReads))
    return `${each.key}: reads are no lists of tokens and ms`;
  return undefined;
}

function isReads(list: unknown): boolean {
  return (
    Array.isArray(list) &&
    list.every((read: unknown) => isRecord(read) && isAmount(read.tokens) && isAmount(read.ms))
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
