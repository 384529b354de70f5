import { readFileSync } from 'node:fs';
import { type Clocks, machineClocks } from './machine-clocks.ts';

export type { Clocks };

/** Repeating and single timers, so that a test can hold the time still and tick by hand. */
export interface Timers {
  /** Calls `work` every `ms`; the answer stops it. */
  every(ms: number, work: () => void): () => void;
  /** Calls `work` once, when everything that is ready now has been handled. */
  soon(work: () => void): void;
  /** Calls `work` once after `ms`; the answer cancels it. */
  after(ms: number, work: () => void): () => void;
}

/** This machine's clocks, and which run of its operating system they are of. */
export function systemClocks(): Clocks {
  const bootId = readBootId();
  return { ...machineClocks(), ...(bootId === undefined ? {} : { bootId }) };
}

function readBootId(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // A sandbox without /proc: a restart then goes by the wall clock, as on other systems.
    return undefined;
  }
}

export function systemTimers(): Timers {
  return {
    every(ms, work) {
      const timer = setInterval(work, ms);
      return () => clearInterval(timer);
    },
    soon(work) {
      setImmediate(work);
    },
    after(ms, work) {
      const timer = setTimeout(work, ms);
      return () => clearTimeout(timer);
    },
  };
}
