// A wake-up is priceless in the first minute and worthless hours later, hence a steep start and 24 h (PROTOCOL 3).
const baseDelaysMs: readonly number[] = [0, 1, 2, 5, 10, 20, 30, 60, 120, 300].map((s) => s * 1000);
const lastDelayMs = 600_000;
const jitterShare = 0.2;

/** From a row's `createdAtMs` on: after this it is dead (kept, and can be replayed). Default of `giveUpAfterMs`. */
export const defaultGiveUpAfterMs: number = 24 * 3600 * 1000;

/** The documented delay before attempt `attempt` (from 1), without jitter. */
export function baseDelayMs(attempt: number): number {
  return baseDelaysMs[attempt - 1] ?? lastDelayMs;
}

/**
 * The delay before the next attempt when `attempts` have been made: the documented one +-20 %, but never less than the
 * documented one before it, and never less than `retryAfterMs` where the endpoint asked for one.
 * @param random in [0, 1)
 */
export function nextDelayMs(attempts: number, random: number, retryAfterMs = 0): number {
  const base = baseDelayMs(attempts + 1);
  const jittered = base * (1 + jitterShare * (2 * random - 1));
  return Math.round(Math.max(jittered, baseDelayMs(attempts), retryAfterMs));
}
