import { deliveryError, type Failure } from './failure.ts';
import type { AttemptResult, DeliveryRow } from './outbox.ts';
import { nextDelayMs } from './schedule.ts';
import type { DeliveryReport } from './sender-options.ts';

/** What becomes of a row whose attempt failed: tried again by the schedule, or dead (410, pointless, or too old by then). */
export function fateOf(
  row: DeliveryRow,
  why: Failure,
  atMs: number,
  random: number,
  giveUpAfterMs: number,
): AttemptResult {
  const error = deliveryError(why);
  const nextAttemptAtMs = atMs + nextDelayMs(row.attempts + 1, random, why.retryAfterMs);
  const tooOld = nextAttemptAtMs > row.createdAtMs + giveUpAfterMs;
  if (why.code === 'gone' || why.permanent === true || tooOld) return { outcome: 'dead', atMs, error };
  return { outcome: 'retry', atMs, nextAttemptAtMs, error };
}

export function reportOf(
  row: DeliveryRow,
  result: AttemptResult,
  why: Failure | undefined,
  superseded: number,
  durationMs: number,
): DeliveryReport {
  return {
    row,
    outcome: result.outcome,
    attempt: row.attempts + 1,
    atMs: result.atMs,
    durationMs,
    superseded,
    ...(result.outcome === 'retry' ? { nextAttemptAtMs: result.nextAttemptAtMs } : {}),
    ...(why === undefined ? {} : { error: { ...deliveryError(why), code: why.code } }),
  };
}
