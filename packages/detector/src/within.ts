import type { Timers } from './clocks.ts';

/** Waits for the work, but no longer than `ms`. It goes on then, unattended. */
export async function within(ms: number, after: Timers['after'], work: Promise<void>): Promise<void> {
  let cancel: (() => void) | undefined;
  const timeout = new Promise<void>((resolve) => {
    cancel = after(ms, resolve);
  });
  await Promise.race([work, timeout]);
  cancel?.();
}
