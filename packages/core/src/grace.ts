import type { PendingCall } from './event.ts';
import { never } from './evidence.ts';
import type { Policy } from './policy.ts';
import type { CallReport } from './signal.ts';
import type { Stamp } from './time.ts';
import type { Turn } from './turn.ts';

// Each open tool call has its own grace (report 001): another call's progress, a duplicate terminal update or engine
// traffic cannot hide a completion that got lost.

/** A declared time-out is given this much more before it counts as broken. */
const declaredSlackMs = 60_000;
/** Calls this near to their grace are named with the expired one: they stopped together. */
const nearMs = 5000;

/** How the children of a turn's calls stand. */
export interface ChildrenOfCalls {
  /** A child of this call is open and neither stale nor expired: it answers for the call. */
  answersFor(call: string): boolean;
  /** Any child of this call, healthy or not, is open; without a call: any child of the turn. */
  anyOpen(call?: string): boolean;
}

/** Infinity where the rule is switched off. */
export function graceMs(call: CallReport, policy: Policy): number {
  if (policy.toolIdleTimeoutMs === 0) return Number.POSITIVE_INFINITY;
  const silentMs = policy.pendingGraceMultiplier * policy.toolIdleTimeoutMs;
  return call.timeoutMs === undefined ? silentMs : Math.max(silentMs, call.timeoutMs + declaredSlackMs);
}

function quietSinceA(turn: Turn, call: CallReport): Stamp {
  return Math.max(call.quietSinceA, turn.report.wokeA ?? never, turn.children.flagged[call.id] ?? never);
}

/** A wait for people, a limit or a schedule stops the graces: all of them, or that of the one call it names. */
function waits(turn: Turn, call: CallReport): boolean {
  const { waiting } = turn.report;
  return waiting !== undefined && (waiting.call === undefined || waiting.call === call.id);
}

function stopped(turn: Turn, call: CallReport, children: ChildrenOfCalls): boolean {
  if (waits(turn, call)) return true;
  // A child that has ended leaves its call to `lostCompletions`: silence while it worked is not the call's own.
  const lost = turn.children.ended[call.id] !== undefined && !children.anyOpen(call.id);
  return children.answersFor(call.id) || lost;
}

/** Every open call as diagnostics show it, with those past their grace marked. */
export function pendingCalls(
  turn: Turn,
  policy: Policy,
  children: ChildrenOfCalls,
  atVerdict: boolean,
): PendingCall[] {
  return turn.report.calls.map((call) => {
    const quietMs = Math.max(0, turn.w - quietSinceA(turn, call));
    const grace = graceMs(call, policy);
    const due = grace - (atVerdict ? nearMs : 0);
    return {
      id: call.id,
      ...(call.name === undefined ? {} : { name: call.name }),
      ageMs: Math.max(0, turn.w - call.startedA),
      quietMs,
      graceMs: grace,
      updates: call.updates,
      expired: quietMs >= due && !stopped(turn, call, children),
    };
  });
}

/** Is any call past its grace? */
export function anyCallExpired(turn: Turn, policy: Policy, children: ChildrenOfCalls): boolean {
  return turn.report.calls.some(
    (call) => turn.w - quietSinceA(turn, call) >= graceMs(call, policy) && !stopped(turn, call, children),
  );
}

/**
 * Calls whose child has ended without the completion coming back in time, and `*` for a wait for a child that is over
 * (reason `lost_completion`).
 */
export function lostCompletions(turn: Turn, policy: Policy, children: ChildrenOfCalls): string[] {
  const dueMs = 1.25 * policy.handoverMs;
  const { waiting, calls } = turn.report;
  const lost = calls
    .filter((call) => {
      const endedA = turn.children.ended[call.id];
      return (
        endedA !== undefined &&
        // A call that still sends updates is not lost.
        turn.w - Math.max(endedA, call.quietSinceA) >= dueMs &&
        !waits(turn, call) &&
        !children.anyOpen(call.id)
      );
    })
    .map((call) => call.id);
  const lastEnd = turn.children.lastEnd;
  if (
    waiting?.for === 'child' &&
    lastEnd !== undefined &&
    !children.anyOpen() &&
    turn.w - Math.max(lastEnd, waiting.sinceA) >= dueMs
  )
    lost.push('*');
  return lost;
}
