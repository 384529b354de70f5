import { uptime } from 'node:os';
import type { EmbeddedClocks, EmbeddedTimers } from './embedded-detector.ts';

/** This machine's clocks. On Linux `os.uptime()` goes on while the host sleeps; elsewhere hrtime itself does. */
export function machineClocks(): EmbeddedClocks {
  const monoMs = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;
  return {
    monoMs,
    bootMs: process.platform === 'linux' ? () => uptime() * 1000 : monoMs,
    wallMs: () => Date.now(),
  };
}

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
