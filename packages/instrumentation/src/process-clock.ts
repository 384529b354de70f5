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
  return platform === 'linux' ? { monoMs, wallMs, bootMs: () => uptime() * 1000 } : { monoMs, wallMs };
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
