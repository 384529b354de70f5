export { AwakeClock, type AwakeClockSource, type Tick } from './awake-clock.ts';
export { type Baseline, emptyBaseline } from './baseline.ts';
export { Baselines, type BaselineView, type SavedBaseline } from './baselines.ts';
export { DueTable } from './due-table.ts';
export type * from './event.ts';
export type { Kinship } from './family.ts';
export { JudgingError, type TurnFault } from './judging-error.ts';
export { baselineKey, type PhaseKey, parseKey } from './key.ts';
export { type OperatorOrder, type OrderedBy, type OwnThresholds, takesOrder } from './orders.ts';
export { isJudged } from './phase.ts';
export {
  type JudgedPhase,
  makePolicy,
  type PhaseThresholds,
  type Policy,
  PolicyError,
  type PolicyFault,
  type PolicyInput,
  type Preset,
  type Prior,
} from './policy.ts';
export { Registry } from './registry.ts';
export type { SavedProcess, SavedRest, SavedState, SavedTurn } from './saved.ts';
export type { TurnSelection } from './selected.ts';
export type * from './signal.ts';
export type { StaleGroup, Standing } from './standing.ts';
export type { Threshold } from './threshold.ts';
export type { AwakeMs, BootMs, Now, Stamp, WallMs } from './time.ts';
export { type Input, transition } from './transition.ts';
export type { Turn, Verdict } from './turn.ts';
export type { TurnCounts } from './turn-table.ts';
export type * from './view.ts';
