import type { Clocks } from './clocks.ts';
import type { Logger } from './logger.ts';
import type { StoredClocks, TurnStore } from './store/turn-store.ts';

/** Clocks are slewed and read one after the other; what is less is no setting of the clock. */
const toleranceMs = 60_000;

export interface RestartClock {
  /** What the wall clock would say had nobody set it since the last commit: saved horizons are read by it. */
  readonly wallMs: number;
  /** By how much it was set since then; negative: back. 0 where nothing was noticed. */
  readonly setByMs: number;
}

function clocksNow(clocks: Clocks): StoredClocks {
  const { bootId } = clocks;
  return {
    wallMs: clocks.wallMs(),
    bootMs: clocks.bootMs(),
    ...(bootId === undefined ? {} : { bootId }),
  };
}

/**
 * How the wall clock of this start compares with the stored one. Within one run of the operating system the boot clock
 * tells how long the detector was down, whatever the wall clock says; after a reboot only a wall clock that stands before
 * the last commit is known to be wrong, and then the down time counts as none: a horizon must not end early because a
 * clock is.
 */
export function restartClock(stored: StoredClocks | undefined, now: StoredClocks): RestartClock {
  if (stored === undefined) return { wallMs: now.wallMs, setByMs: 0 };
  const expectedMs = expectedWall(stored, now);
  const setByMs = expectedMs === undefined ? 0 : now.wallMs - expectedMs;
  if (expectedMs === undefined || Math.abs(setByMs) <= toleranceMs) return { wallMs: now.wallMs, setByMs: 0 };
  return { wallMs: expectedMs, setByMs };
}

function expectedWall(stored: StoredClocks, now: StoredClocks): number | undefined {
  const sameBoot = stored.bootId !== undefined && stored.bootId === now.bootId;
  if (sameBoot && now.bootMs >= stored.bootMs) return stored.wallMs + (now.bootMs - stored.bootMs);
  return now.wallMs < stored.wallMs ? stored.wallMs : undefined;
}

/** Nothing is judged by the wall clock; but retries wait by it, and would wait for as long as it was set back. */
function clockWasSet(byMs: number, store: TurnStore, wallMs: number, logger: Logger): void {
  logger.warn({ setBySeconds: Math.round(byMs / 1000) }, 'the wall clock was set; horizons do not follow it');
  if (byMs > 0) return;
  try {
    for (const endpoint of store.backlog().keys()) store.release(endpoint, wallMs);
  } catch (error) {
    logger.warn({ err: error }, 'events that wait for an attempt wait for as long as the clock was set back');
  }
}

/** {@link restartClock} of a start: a clock that was set is told, and retries do not wait for it. */
export function wallAtRestart(
  stored: StoredClocks | undefined,
  clocks: Clocks,
  store: TurnStore,
  logger: Logger,
): number {
  const { wallMs, setByMs } = restartClock(stored, clocksNow(clocks));
  if (setByMs !== 0) clockWasSet(setByMs, store, clocks.wallMs(), logger);
  return wallMs;
}
