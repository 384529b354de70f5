import type { TurnClock } from './awake-clock.ts';

/** An instant to come, told either way; `inMs` wins. */
export interface Instant {
  readonly inMs?: number | undefined;
  /** Wall clock, ms since the epoch. */
  readonly atMs?: number | undefined;
}

/**
 * The instant on the producer's boot clock: a wall clock that is set later never moves it, and host sleep counts (004: a
 * horizon holds whatever happens). `undefined` where there is none or it is no finite number.
 */
export function deadline(clock: TurnClock, { inMs, atMs }: Instant): number | undefined {
  const leftMs = inMs ?? (atMs === undefined ? undefined : atMs - clock.wallMs());
  return leftMs !== undefined && Number.isFinite(leftMs) ? clock.bootMs() + leftMs : undefined;
}

/** Time left; negative when it has passed. */
export function leftMs(deadlineMs: number, bootMs: number): number {
  return Math.round(deadlineMs - bootMs);
}
