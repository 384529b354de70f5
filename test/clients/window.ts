import type { Flag, Sight } from './client.ts';
import type { Moments } from './moments.ts';
import { confirmRatio, thresholdMs, unreachableMs } from './policy.ts';
import type { Told } from './stage.ts';

/** When a verdict is due, ms after the last sign of life. */
export interface Window {
  /** That sign of life, by the wall clock. */
  readonly lastMs: number;
  readonly earliestMs: number;
  readonly latestMs: number;
  /** Within which the threshold has to be that was judged by; undefined: it is judged by something else. */
  readonly thresholdMs: readonly [least: number, most: number] | undefined;
}

/** The grain of the clocks. */
const grainMs = 100;
/** How often heartbeats come, and their way. */
const heartbeatMs = 2000;
/** A heartbeat, a tick of the detector and a webhook, on a machine that is busy with other things. */
const slackMs = 3000;
/** How much longer records may take than they are held back by design, on such a machine. */
const lateMs = 3000;

/** Undefined: there was no such sign of life. */
export function windowOf(
  flag: Flag,
  { heldBackMs }: Sight,
  moments: Pick<Moments, 'of'>,
  model: string,
  stale: Told | undefined,
): Window | undefined {
  const signs = moments
    .of(model, flag.since)
    .filter((atMs) => atMs < (stale?.atMs ?? Number.POSITIVE_INFINITY));
  const lastMs = signs.at(-1);
  if (lastMs === undefined) return undefined;
  // A process that is away needs no confirmation; its last heartbeat may have come a while before it went.
  if (flag.reason === 'process_unreachable')
    return {
      ...{ lastMs, earliestMs: unreachableMs - heartbeatMs, latestMs: unreachableMs + slackMs },
      thresholdMs: undefined,
    };
  const firstMs = (flag.lastMayBeLost === true ? signs.at(-2) : undefined) ?? lastMs;
  const waitsMs = flag.waitsMs ?? 0;
  const isCall = flag.phase === 'tool';
  // A call that is past its grace needs no confirmation, and its grace does not grow by the lag.
  const ratio = isCall ? 1 : 1 + confirmRatio;
  const least = thresholdMs[flag.phase] + (isCall ? 0 : heldBackMs);
  const most = least + (heldBackMs === 0 ? 0 : lateMs);
  // What the detector has measured of the lag is its own to say, within bounds.
  const judgedBy = isCall ? least : Math.min(Math.max(stale?.stale?.thresholdMs ?? least, least), most);
  return {
    lastMs,
    earliestMs: firstMs - lastMs + waitsMs + ratio * thresholdMs[flag.phase] - grainMs,
    latestMs: waitsMs + ratio * judgedBy + (heldBackMs === 0 ? 0 : heldBackMs + lateMs) + slackMs,
    thresholdMs: isCall ? undefined : [least, most],
  };
}
