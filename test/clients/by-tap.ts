import { retryAfterS } from './case.ts';
import type { Flag, Sight } from './client.ts';

/** By the tap, of a client that ties the requests of a turn together. */
export const byTap = {
  heldBackMs: 0,
  seesComments: true,
  end: 'completed',
  stall: { phase: 'text', since: 'chunk' },
  death: { phase: 'agent', since: 'signal' },
  deathInTool: { phase: 'tool', since: 'chunk' },
} as const satisfies Sight;

/** Its provider has failed until it gave up: after the wait that it was told of it did nothing any more. */
export const givesUp: Flag = { phase: 'agent', since: 'error', waitsMs: retryAfterS * 1000 };
