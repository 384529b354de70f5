import type { EmbeddedTimers } from './embedded-detector.ts';

/** Timers that never keep the agent's process alive. */
export const quietTimers: EmbeddedTimers = {
  every(ms, work) {
    const timer = setInterval(work, ms).unref();
    return () => clearInterval(timer);
  },
  soon(work) {
    setImmediate(work);
  },
};
