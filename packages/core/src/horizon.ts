import type { Context } from './context.ts';
import type { TurnReport } from './signal.ts';
import type { BootMs } from './time.ts';
import { noDeadlines, type Turn } from './turn.ts';

// A horizon is a deadline on the detector's own boot clock, taken from the time left that the producer sent: skewed or
// stepped wall clocks cannot expire a healthy turn, and a sleeping host cannot outlive its horizon (report 004).

/** Waits for people and schedules are not counted by the default horizon. */
function holdsDefault(report: TurnReport): boolean {
  const waiting = report.waiting?.for;
  return waiting === 'approval' || waiting === 'input' || waiting === 'schedule';
}

/** A late record can only say "later" than an early one, so the earliest deadline heard is the true one. */
export function earliest(
  known: BootMs | undefined,
  inMs: number | undefined,
  nowBootMs: BootMs,
): BootMs | undefined {
  // A told horizon stays told.
  if (inMs === undefined || known === Number.POSITIVE_INFINITY) return known;
  const deadline = nowBootMs + inMs;
  return known === undefined ? deadline : Math.min(known, deadline);
}

/** The horizons of open requests, with what was known of them. */
export function deadlinesOf(
  report: TurnReport,
  known: Turn['requestDeadlines'],
  bootMs: BootMs,
): Turn['requestDeadlines'] {
  let deadlines: Record<string, BootMs> | undefined;
  for (const { id, expiresInMs } of report.requests) {
    const deadline = earliest(known[id], expiresInMs, bootMs);
    if (deadline === undefined) continue;
    deadlines ??= {};
    deadlines[id] = deadline;
  }
  return deadlines ?? noDeadlines;
}

type HorizonFields = Pick<Turn, 'deadlineMs' | 'byDefault' | 'requestDeadlines'> & {
  readonly heldMs?: number;
};

/** The horizons after a newer report. */
export function horizonsAfter(turn: Turn, report: TurnReport, ctx: Context): HorizonFields {
  const { bootMs } = ctx.now;
  const { expiresInMs } = report;
  const requestDeadlines = deadlinesOf(report, turn.requestDeadlines, bootMs);
  if (expiresInMs !== undefined) {
    const deadlineMs = bootMs + expiresInMs;
    return {
      deadlineMs: turn.byDefault ? deadlineMs : Math.min(turn.deadlineMs, deadlineMs),
      byDefault: false,
      requestDeadlines,
    };
  }
  if (!turn.byDefault) return { deadlineMs: turn.deadlineMs, byDefault: false, requestDeadlines };
  return { ...defaultHorizon(turn, report, bootMs), byDefault: true, requestDeadlines };
}

function defaultHorizon(
  turn: Turn,
  report: TurnReport,
  bootMs: BootMs,
): { deadlineMs: BootMs; heldMs?: number } {
  const holds = holdsDefault(report);
  if (turn.heldMs !== undefined)
    return holds
      ? { deadlineMs: turn.deadlineMs, heldMs: turn.heldMs }
      : { deadlineMs: bootMs + turn.heldMs };
  return holds
    ? { deadlineMs: Number.POSITIVE_INFINITY, heldMs: Math.max(0, turn.deadlineMs - bootMs) }
    : { deadlineMs: turn.deadlineMs };
}

/** When the turn must be looked at again at the latest, on the boot clock. */
export function nextDeadlineMs(turn: Turn): BootMs {
  let next = turn.deadlineMs;
  for (const id in turn.requestDeadlines) next = Math.min(next, turn.requestDeadlines[id] as BootMs);
  return next;
}
