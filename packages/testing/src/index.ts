export {
  type RunOptions,
  runScenario,
  type ScenarioResult,
  type TraceLine,
} from './simulation/run-scenario.ts';
export { parseScenario } from './simulation/scenario.ts';
export type * from './simulation/scenario-shape.ts';
export { type DetectorGiven, SimDetector, type SimulatedDetector } from './simulation/sim-detector.ts';
export type { Variant } from './simulation/world.ts';
