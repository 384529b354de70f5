import type { TurnView } from '@turnwatch/core';
import type { Hearing } from '@turnwatch/protocol';

/** What a row is about, from the most urgent on. The place in this list is the row's rank. */
export const urgencies = [
  'stale',
  'expired',
  'suspect',
  'close',
  'person',
  'unheard',
  'working',
  'waiting',
  'ended',
] as const;
export type Urgency = (typeof urgencies)[number];

/** From this share of its threshold or grace on a running turn stands above those that only work. */
const closeShare = 0.6;

export function urgencyOf(view: TurnView, hearing: Hearing): Urgency {
  switch (view.state) {
    case 'stale':
    case 'expired':
    case 'suspect':
    case 'ended':
      return view.state;
    case 'running':
      if (view.phase === 'waiting')
        return view.waiting?.for === 'approval' || view.waiting?.for === 'input' ? 'person' : 'waiting';
      if (view.phase === 'idle') return 'waiting';
      if (hearing !== 'live') return 'unheard';
      return nearness(view) >= closeShare ? 'close' : 'working';
  }
}

/** How much of its threshold, or of the grace of its quietest call, has passed: 1 is all of it. */
export function nearness(view: TurnView): number {
  if (view.phase === 'waiting' || view.phase === 'idle') return 0;
  let nearest = isJudged(view) ? view.silenceMs / Math.max(1, view.thresholdMs) : 0;
  for (const call of view.calls) nearest = Math.max(nearest, call.quietMs / Math.max(1, call.graceMs));
  return nearest;
}

/** Tools have graces, waits a stopped clock; while the history is compacted open calls defer the rule too. */
export function isJudged({ phase, calls, openRequests }: TurnView): boolean {
  if (phase === 'tool' || phase === 'waiting' || phase === 'idle') return false;
  return !(phase === 'compacting' && calls.length > 0 && openRequests.length === 0);
}

/** How long a settled turn stays on the board where nobody asks for its state: it has to be seen to go. */
const shownForMs = { ended: 15_000, expired: 600_000 } as const;

export function hasLeft({ state, settledAtMs }: TurnView, wallMs: number): boolean {
  if (state !== 'ended' && state !== 'expired') return false;
  return settledAtMs !== null && wallMs - settledAtMs > shownForMs[state];
}
