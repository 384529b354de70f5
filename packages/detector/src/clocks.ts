import { uptime } from 'node:os';
import type { AwakeClockSource } from '@turnwatch/core';

/** The clocks the detector reads, all in milliseconds. */
export interface Clocks extends AwakeClockSource {
  /** Since the epoch. Shown to people and kept for restarts; nothing is judged by it. */
  wallMs(): number;
}

/** Repeating and single timers, so that a test can hold the time still and tick by hand. */
export interface Timers {
  /** Calls `work` every `ms`; the answer stops it. */
  every(ms: number, work: () => void): () => void;
  /** Calls `work` once, when everything that is ready now has been handled. */
  soon(work: () => void): void;
  /** Calls `work` once after `ms`; the answer cancels it. */
  after(ms: number, work: () => void): () => void;
}

/** This machine's clocks. On Linux `os.uptime()` goes on while the host sleeps; elsewhere hrtime itself does. */
export function systemClocks(): Clocks {
  const monoMs = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;
  return {
    monoMs,
    bootMs: process.platform === 'linux' ? () => uptime() * 1000 : monoMs,
    wallMs: () => Date.now(),
  };
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
