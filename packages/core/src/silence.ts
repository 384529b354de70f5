import type { Baseline } from './baseline.ts';
import { effectivePhase, effectivePhaseA, never, phaseRequest, weighEvidence } from './evidence.ts';
import { baselineKey, type PhaseKey, phaseKey } from './key.ts';
import { ownThreshold } from './own-threshold.ts';
import { isJudged } from './phase.ts';
import type { JudgedPhase, KeyParts, Policy } from './policy.ts';
import { type Threshold, thresholdOf } from './threshold.ts';
import type { Stamp } from './time.ts';
import type { Turn } from './turn.ts';

/** Reads what a key has learned; unknown keys read as empty. */
export type BaselineReader = (key: string) => Baseline;

/** A turn's silence and what it is held against, at one instant of the turn's own clock. */
export interface Silence {
  readonly phase: JudgedPhase;
  /** What it teaches; null for a handover, which teaches nothing. */
  readonly key: PhaseKey | null;
  readonly silenceMs: number;
  readonly threshold: Threshold;
  readonly countedA: Stamp;
  /** Evidence goes on, beyond its cap. */
  readonly engineOnly: boolean;
}

export function keyParts(turn: Turn): KeyParts {
  return {
    provider: turn.identity.provider ?? '',
    model: turn.identity.model ?? '',
    route: turn.identity.route ?? 'api',
  };
}

/** Where the present silence began, but for evidence. */
export function silentSinceA(turn: Turn): Stamp {
  const { report } = turn;
  return Math.max(report.lastA, effectivePhaseA(turn), report.wokeA ?? never);
}

/**
 * How long a turn has been silent by the silence rule, with the evidence that counted when it was judged last: cheap.
 * Undefined where that rule does not judge, see {@link silenceOf}.
 */
export function judgedSilenceMs(turn: Turn): number | undefined {
  if (!isJudged(effectivePhase(turn)) || deferredByCalls(turn)) return undefined;
  return Math.max(0, turn.w - Math.max(silentSinceA(turn), turn.countedA ?? never));
}

/** Undefined where the silence rule does not judge: `tool` has graces, `waiting` a stopped clock. */
export function silenceOf(
  turn: Turn,
  policy: Policy,
  baselines: BaselineReader,
  lagMs: number,
): Silence | undefined {
  const phase = effectivePhase(turn);
  if (!isJudged(phase) || deferredByCalls(turn)) return undefined;
  if (turn.report.handover) return handover(turn, policy);
  const parts = keyParts(turn);
  const request = phaseRequest(turn);
  const judge = (evidence: boolean): Threshold => {
    const learned = thresholdOf(
      policy,
      {
        ...parts,
        phase,
        evidence,
        beforeContent: request?.contentA === undefined,
        ...(request?.promptTokens === undefined ? {} : { promptTokens: request.promptTokens }),
      },
      baselines(baselineKey(parts.provider, parts.model, phaseKey(phase, evidence))),
    );
    const threshold = ownThreshold(turn, phase, learned, policy);
    return lagMs > 0 ? lagged(threshold, lagMs, policy) : threshold;
  };
  const evidence = weighEvidence(turn, policy, () => {
    const bare = baselines(baselineKey(parts.provider, parts.model, phase));
    return Math.max(2 * judge(true).thresholdMs, 1.5 * bare.maxPingedMs, 180_000);
  });
  const since = silentSinceA(turn);
  const came = evidence.countedA >= effectivePhaseA(turn);
  const from = Math.max(since, evidence.countedA);
  return {
    phase,
    key: phaseKey(phase, came),
    silenceMs: Math.max(0, turn.w - from),
    threshold: judge(came),
    countedA: evidence.countedA,
    engineOnly: evidence.cappedA > from,
  };
}

/** Open calls defer the silence rule while no request is open, also while the history is compacted (RULES 4). */
function deferredByCalls(turn: Turn): boolean {
  const { phase, calls, requests } = turn.report;
  return phase === 'compacting' && calls.length > 0 && requests.length === 0;
}

/** After a wait's `until`: a fixed threshold that teaches nothing and ends with the first activity. */
function handover(turn: Turn, policy: Policy): Silence {
  const thresholdMs = policy.handoverMs;
  return {
    phase: 'agent',
    key: null,
    silenceMs: Math.max(0, turn.w - silentSinceA(turn)),
    threshold: {
      thresholdMs,
      confirmMs: thresholdMs * policy.confirmRatio,
      source: 'default',
      suspectMs: thresholdMs,
      samples: 0,
      largestGapMs: 0,
    },
    countedA: turn.countedA ?? never,
    engineOnly: false,
  };
}

/** Telemetry without heartbeats is late by its route's lag, so T grows by it (RULES 5). */
function lagged(threshold: Threshold, lagMs: number, policy: Policy): Threshold {
  const thresholdMs = threshold.thresholdMs + lagMs;
  return {
    ...threshold,
    thresholdMs,
    confirmMs: thresholdMs * policy.confirmRatio,
    suspectMs: threshold.suspectMs + lagMs,
    lagMs,
  };
}
