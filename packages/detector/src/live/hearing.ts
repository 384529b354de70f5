import type { ProcessView, TurnView } from '@turnwatch/core';
import type { Hearing } from '@turnwatch/protocol';

/** Three heartbeats: what is older is no longer shown as running on. */
export const quietAfterMs = 3500;

/** How the process of a turn is heard. Turns without heartbeats count as heard unless their process is gone. */
export function hearingOf(
  view: Pick<TurnView, 'heardAgoMs'>,
  process: Pick<ProcessView, 'state'> | undefined,
): Hearing {
  const state = process?.state ?? 'live';
  if (state !== 'live') return state;
  return view.heardAgoMs > quietAfterMs ? 'quiet' : 'live';
}
