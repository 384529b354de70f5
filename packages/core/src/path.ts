import type { AwakeMs, Now, WallMs } from './time.ts';

/** A way records come in (a listener, a token, a Collector), with the canary that shows whether it works. */
export interface PathState {
  readonly id: string;
  canaryAwakeMs: AwakeMs | undefined;
  canaryWallMs: WallMs | undefined;
  /** Since when the canary comes back again, without having been late. */
  worksSinceMs: AwakeMs | undefined;
  /** The present outage has been told. */
  silentTold: boolean;
  /** Longest that a record has been under way on it, ms. */
  lagMs: number;
}

const canaryFreshMs = 5000;
/** After an outage each process gets the time of two heartbeats to be heard before its silence counts again. */
const settledMs = 2000;

export function newPath(id: string): PathState {
  return {
    id,
    canaryAwakeMs: undefined,
    canaryWallMs: undefined,
    worksSinceMs: undefined,
    silentTold: false,
    lagMs: 0,
  };
}

/**
 * Freshness counts from when the canary was sent: what comes out of a jam late shows that the path moves, not that what
 * living processes say now gets through.
 */
export function canaryBack(path: PathState, now: Now, sentAwakeMs: AwakeMs = now.awakeMs): void {
  const sentMs = Math.min(sentAwakeMs, now.awakeMs);
  if (path.canaryAwakeMs !== undefined && sentMs < path.canaryAwakeMs) return;
  const wasFresh = canaryFresh(path, now);
  path.canaryAwakeMs = sentMs;
  path.canaryWallMs = now.wallMs - (now.awakeMs - sentMs);
  if (!canaryFresh(path, now)) return;
  if (!wasFresh) path.worksSinceMs = now.awakeMs;
  path.silentTold = false;
}

/** While it is not, silence of the path's processes is no evidence against them. */
export function canaryFresh(path: PathState, now: Now): boolean {
  return path.canaryAwakeMs !== undefined && now.awakeMs - path.canaryAwakeMs < canaryFreshMs;
}

/** The canary is fresh, and has been for long enough that living processes have been heard again. */
export function pathSettled(path: PathState, now: Now): boolean {
  return (
    canaryFresh(path, now) && path.worksSinceMs !== undefined && now.awakeMs - path.worksSinceMs >= settledMs
  );
}
