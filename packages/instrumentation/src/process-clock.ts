import { uptime } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { Timers } from './horizon.ts';
import type { ProducerClock } from './producer/awake-clock.ts';

/**
 * The clocks of this process, the same in all of its threads. On Linux uptime goes on in sleep and `performance` does not;
 * elsewhere the latter does.
 */
export function processClock(platform: string = process.platform): ProducerClock {
  // `performance` starts at 0 in every thread, the clock beneath it is one.
  const offsetMs = Number(process.hrtime.bigint()) / 1e6 - performance.now();
  const monoMs = (): number => performance.now() + offsetMs;
  const wallMs = (): number => Date.now();
  return platform === 'linux' ? { monoMs, wallMs, bootMs: bootClock(monoMs) } : { monoMs, wallMs };
}

/** Just under the time between two ticks, so that each tick sees the sleep that went before it. */
const readEveryMs = 900;

/** Uptime is read from a file, which costs microseconds: between two readings the monotonic clock goes on for it. */
function bootClock(monoMs: () => number): () => number {
  let readMonoMs = Number.NEGATIVE_INFINITY;
  let readBootMs = 0;
  return () => {
    const nowMs = monoMs();
    if (nowMs - readMonoMs >= readEveryMs) {
      readMonoMs = nowMs;
      readBootMs = uptime() * 1000;
    }
    return readBootMs + nowMs - readMonoMs;
  };
}

export const processTimers: Timers = {
  every(ms, run) {
    const timer = setInterval(run, ms).unref();
    return () => clearInterval(timer);
  },
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};
