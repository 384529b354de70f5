export { type Clocks, machineClocks as systemClocks } from './machine-clocks.ts';

/** Repeating and single timers, so that a test can hold the time still and tick by hand. */
export interface Timers {
  /** Calls `work` every `ms`; the answer stops it. */
  every(ms: number, work: () => void): () => void;
  /** Calls `work` once, when everything that is ready now has been handled. */
  soon(work: () => void): void;
  /** Calls `work` once after `ms`; the answer cancels it. */
  after(ms: number, work: () => void): () => void;
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
