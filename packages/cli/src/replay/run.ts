import type { Run } from '../command.ts';
import { UsageError } from '../usage-error.ts';
import type { replayFlags } from './command.ts';

/** Scenarios or captures: each has its own ways, loaded when it is asked for. */
export const runReplay: Run<typeof replayFlags> = async (flags, operands, output) => {
  if (flags.capture !== undefined && flags.scenario !== undefined)
    throw new UsageError('replay takes --scenario FILE... or --capture FILE..., not both');
  if (flags.capture === undefined)
    return (await import('./scenarios.ts')).runScenarios(flags, operands, output);
  return (await import('./captures.ts')).runCaptures(flags, operands, output);
};
