import { uptime } from 'node:os';
import type { AwakeClockSource } from '@turnwatch/core';

/** The clocks the detector reads, all in milliseconds. */
export interface Clocks extends AwakeClockSource {
  /** Since the epoch. Shown to people and kept for restarts; nothing is judged by it. */
  wallMs(): number;
  /** Which run of the operating system `bootMs` is of; absent where that cannot be told (beyond Linux). */
  readonly bootId?: string;
}

/** Uptime is read from a file: with hundreds of requests a second once for each would cost more than merging some. */
const readEveryMs = 100;

/** This machine's clocks. On Linux `os.uptime()` goes on while the host sleeps; elsewhere hrtime itself does. */
export function machineClocks(): Clocks {
  const monoMs = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;
  return {
    monoMs,
    bootMs: process.platform === 'linux' ? bootClock(monoMs, uptime) : monoMs,
    wallMs: () => Date.now(),
  };
}

/** Between two readings the monotonic clock goes on for it. Never back: uptime is rounded to 10 ms. */
export function bootClock(monoMs: () => number, readUptimeS: () => number): () => number {
  let readMonoMs = Number.NEGATIVE_INFINITY;
  let readBootMs = 0;
  let latestMs = 0;
  return () => {
    const nowMs = monoMs();
    if (nowMs - readMonoMs >= readEveryMs) {
      readMonoMs = nowMs;
      readBootMs = readUptimeS() * 1000;
    }
    latestMs = Math.max(latestMs, readBootMs + nowMs - readMonoMs);
    return latestMs;
  };
}
