import type { TurnEvent } from '@turnwatch/core';
import type { Mark } from './entry.ts';

/** How a verdict stands in the timeline; undefined for what is no verdict. */
export function markOf(event: TurnEvent): Mark | undefined {
  const nothing = { kind: 'mark', fromMs: event.atMs, silenceMs: null, thresholdMs: null } as const;
  switch (event.type) {
    case 'turn.suspect':
    case 'turn.stale': {
      const { silenceMs, thresholdMs, reason } = event.stale;
      const what = event.type === 'turn.stale' ? 'stale' : 'suspect';
      return { ...nothing, what, detail: reason, silenceMs, thresholdMs };
    }
    case 'turn.recovered':
      return { ...nothing, what: 'recovered', detail: event.recovered.by };
    case 'turn.expired':
      return {
        ...nothing,
        // Where the turn was muted it is told of later.
        fromMs: event.expired.settledAtMs,
        what: 'expired',
        detail: event.expired.byDefault ? 'default horizon' : null,
      };
    case 'request.expired':
      return { ...nothing, what: 'request_expired', detail: event.request };
  }
}
