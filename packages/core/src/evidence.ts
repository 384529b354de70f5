import { isRequestPhase } from './phase.ts';
import type { Policy } from './policy.ts';
import type { Phase } from './signal.ts';
import type { Stamp } from './time.ts';
import type { Turn } from './turn.ts';

// Signs of life that are not activity (report 000): they count by their own instant, for a bounded time.

export interface Evidence {
  /** Newest evidence that counts. */
  readonly countedA: Stamp;
  /** Newest evidence beyond its cap: a verdict in spite of it is `engine_only`. */
  readonly cappedA: Stamp;
}

/** No evidence: earlier than every stamp. */
export const never: Stamp = Number.NEGATIVE_INFINITY;

/** The open request that the phase belongs to: the newest. */
export function phaseRequest(turn: Turn): Turn['report']['requests'][number] | undefined {
  return turn.report.requests.at(-1);
}

/** `first_token` of a request that the engine says it has not begun is `queued`. */
export function effectivePhase(turn: Turn): Phase {
  const { phase } = turn.report;
  return phase === 'first_token' &&
    turn.engine?.queued === true &&
    turn.engine.request === phaseRequest(turn)?.id
    ? 'queued'
    : phase;
}

export function effectivePhaseA(turn: Turn): Stamp {
  const { phaseA } = turn.report;
  return effectivePhase(turn) === 'queued' ? Math.max(phaseA, turn.engine?.queuedA ?? phaseA) : phaseA;
}

/**
 * Weighs what came in the open request under the caps of RULES 2. `afterContentCapMs` is for keep-alives after content:
 * max(2T, 1.5 x largest pinged gap, 180 s).
 */
export function weighEvidence(turn: Turn, policy: Policy, afterContentCapMs: () => number): Evidence {
  let countedA = turn.countedA ?? never;
  let cappedA = never;
  const { report } = turn;
  const request = phaseRequest(turn);
  if (!isRequestPhase(report.phase) || request === undefined) return { countedA, cappedA };
  const weigh = (e: Stamp | undefined, from: Stamp, capMs: number): void => {
    // What came before the agent's last activity is spent.
    if (e === undefined || e < request.startedA || e < from) return;
    if (e - from < capMs) countedA = Math.max(countedA, e);
    else cappedA = Math.max(cappedA, e);
  };
  const local = turn.identity.route === 'local';
  if (local) {
    const engine = turn.engine?.request === request.id ? turn.engine : undefined;
    weigh(report.progressA, report.lastA, policy.engineGraceMs);
    weigh(engine?.ownA, report.lastA, policy.engineGraceMs);
    if (report.phase === 'first_token') weigh(engine?.wideA, report.lastA, policy.engineGraceMs);
  }
  if (report.keepaliveA !== undefined) {
    if (request.contentA === undefined)
      weigh(report.keepaliveA, report.lastA, local ? policy.engineGraceMs : policy.keepaliveApiMs);
    else weigh(report.keepaliveA, report.lastContentA ?? request.contentA, afterContentCapMs());
  }
  return { countedA, cappedA };
}
