import type { Run } from '../command.ts';
import { UsageError } from '../usage-error.ts';
import type { replayFlags } from './command.ts';

const ofCaptures = ['until', 'learned-turns', 'learned-gap'] as const;
const ofScenarios = ['trace', 'phase', 'double', 'skew'] as const;

/** Scenarios or captures: each has its own ways, loaded when it is asked for. */
export const runReplay: Run<typeof replayFlags> = async (flags, operands, output) => {
  if (flags.capture !== undefined && flags.scenario !== undefined)
    throw new UsageError('replay takes --scenario FILE... or --capture FILE..., not both');
  const stray = (flags.capture === undefined ? ofCaptures : ofScenarios).filter(
    (name) => flags[name] !== undefined,
  );
  if (stray.length > 0)
    throw new UsageError(
      `${stray.map((name) => `--${name}`).join(', ')}: only with ${flags.capture === undefined ? '--capture FILE..., and these are scenarios' : '--scenario FILE..., and these are captures'}`,
    );
  if (flags['learned-gap'] !== undefined && flags['learned-turns'] === undefined)
    throw new UsageError('--learned-gap SECONDS is of the turns that --learned-turns N says; give it too');
  if (flags.capture === undefined)
    return (await import('./scenarios.ts')).runScenarios(flags, operands, output);
  return (await import('./captures.ts')).runCaptures(flags, operands, output);
};
