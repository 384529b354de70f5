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
  /** Longest that a record has been under way on it in the last hours, ms; never below `delayMs`. */
  lagMs: number;
  /** The same in the present stretch of {@link lagStretchMs} alone. */
  newLagMs: number;
  /** How late its records come by nature, ms. */
  delayMs: number;
}

/** A lag is forgotten at the second of these turns of the detector's awake clock: after 6 to 12 hours of it. */
const lagStretchMs = 6 * 3_600_000;

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
    newLagMs: 0,
    delayMs: 0,
  };
}

/** Which stretch of its lags a path is in. */
export function lagStretch(now: Now): number {
  return Math.floor(now.awakeMs / lagStretchMs);
}

/** A record has been under way for so long. */
export function noteLag(path: PathState, lateMs: number): void {
  path.newLagMs = Math.max(path.newLagMs, lateMs);
  path.lagMs = Math.max(path.lagMs, lateMs);
}

/** Its records come as late as this by nature, which is not forgotten. */
export function expectDelay(path: PathState, delayMs: number): void {
  path.delayMs = Math.max(path.delayMs, delayMs);
  path.lagMs = Math.max(path.lagMs, delayMs);
}

/** So many stretches have begun since it was last asked: what is older than the present one and the one before is over. */
export function forgetLag(path: PathState, stretches: number): void {
  path.lagMs = Math.max(path.delayMs, stretches === 1 ? path.newLagMs : 0);
  path.newLagMs = 0;
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
