import type { Context } from './context.ts';
import { never } from './evidence.ts';
import type { Turn, Verdict } from './turn.ts';

type Stale = Extract<Verdict, { state: 'stale' }>;

/** What became of a stale verdict: `null` while its own cause stands. */
export type Clearance =
  | { readonly kind: 'recovered'; readonly by: string }
  | { readonly kind: 'confirmed' }
  | null;

/**
 * A stale verdict is cleared only when its own cause is gone (RULES 5). Loss of data never clears one, and another
 * call's progress never clears a silent call's.
 */
export function clearanceOf(turn: Turn, stale: Stale, ctx: Context): Clearance {
  switch (stale.reason) {
    case 'silence':
    case 'engine_only':
    case 'provider_error':
      return afterSilence(turn, stale);
    case 'no_content': {
      const fruitA = Math.max(
        turn.report.lastContentA ?? never,
        turn.report.completedA ?? never,
        turn.report.progressA ?? never,
        turn.engine?.ownA ?? never,
      );
      return fruitA > stale.atA ? { kind: 'recovered', by: 'content' } : null;
    }
    case 'tool_silence':
    case 'lost_completion':
      return callsMoved(turn, stale) ? { kind: 'recovered', by: 'tool_call' } : null;
    case 'process_unreachable':
      return ctx.process.unreachable || ctx.process.exited ? null : { kind: 'recovered', by: 'heartbeat' };
    case 'process_blocked':
      return ctx.process.loopAgeMs < loopFreeMs ? { kind: 'recovered', by: 'main_loop' } : null;
    case 'process_exited':
      return null;
  }
}

/** A main loop younger than this is free again. */
export const loopFreeMs = 5000;

function afterSilence(turn: Turn, stale: Stale): Clearance {
  const { report } = turn;
  const failedA = report.failedA ?? never;
  if (failedA > stale.atA) {
    // A client that gives up a dead stream shows that the verdict was right: no recovery, no back-off.
    const workedBefore = [
      report.lastContentA,
      report.completedA,
      ...report.requests.map((request) => request.startedA),
    ].some((a) => a !== undefined && a > stale.atA && a < failedA);
    return workedBefore ? { kind: 'recovered', by: 'activity' } : { kind: 'confirmed' };
  }
  if (report.lastA > stale.atA) return { kind: 'recovered', by: report.lastKind };
  if ((turn.countedA ?? never) > stale.atA) return { kind: 'recovered', by: 'evidence' };
  return null;
}

/** Each of the verdict's calls has ended or spoken since. */
function callsMoved(turn: Turn, stale: Stale): boolean {
  return stale.expiredCalls.every((id) => {
    if (id === '*') return turn.report.waiting?.for !== 'child';
    const call = turn.report.calls.find((open) => open.id === id);
    return call === undefined || call.updates > (stale.updates[id] as number);
  });
}
