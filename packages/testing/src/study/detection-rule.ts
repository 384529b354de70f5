import type { KeyPlan, StopKind, TurnPlan } from './plan.ts';
import type { Tally } from './tally.ts';

/** One turn of a key as every rule gets to see it. */
export interface Trial {
  readonly key: KeyPlan;
  readonly plan: TurnPlan;
  /** Set: the turn stops for good. */
  readonly stop?: StopKind;
  /** When its heartbeats fall, ms into each second. */
  readonly beatPhaseMs: number;
  /** When flagged although healthy: its parent kills it (and the rest of the gap is never seen) or lets it go on. */
  readonly killed: boolean;
  /** Healthy turns of this key before. */
  readonly index: number;
}

/** A way to find turns that have stopped; made anew for each key. */
export interface DetectionRule {
  readonly tally: Tally;
  play(trial: Trial): void;
}
