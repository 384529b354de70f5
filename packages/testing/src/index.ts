export { parseScenario } from './simulation/scenario.ts';
export type * from './simulation/scenario-shape.ts';
export { runScenario, type RunOptions, type ScenarioResult, type TraceLine } from './simulation/run-scenario.ts';
export type { Variant } from './simulation/world.ts';
