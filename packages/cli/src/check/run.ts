import { ConfigError, type ConfigValue, effectiveValues, loadDetector } from '@turnwatch/detector';
import type { Run } from '../command.ts';
import { overrides } from '../serve/run.ts';
import type { checkFlags } from './command.ts';

/** Loads the configuration with its plugins as `serve` would, lets go of them again and prints what came of it. */
export const runCheck: Run<typeof checkFlags> = async ({ json, ...flags }, _operands, output) => {
  try {
    const { plugins, ...loaded } = await loadDetector({
      ...(flags.config === undefined ? {} : { file: flags.config }),
      environment: process.env,
      flags: overrides(flags),
    });
    await plugins.stop();
    const values = effectiveValues(loaded);
    const { warnings } = loaded;
    if (json === true) output.out(`${JSON.stringify({ ok: true, problems: [], warnings, values })}\n`);
    else {
      for (const warning of warnings) output.err(`turnwatch check: ${warning}\n`);
      output.out(tableOf(values));
    }
    return 0;
  } catch (error) {
    if (!(error instanceof ConfigError) || json !== true) throw error;
    const { problems } = error;
    output.out(`${JSON.stringify({ ok: false, problems, warnings: [], values: [] })}\n`);
    return 1;
  }
};

function tableOf(values: readonly ConfigValue[]): string {
  const width = Math.min(60, Math.max(...values.map(({ key, value }) => key.length + value.length + 2)));
  return values
    .map(({ key, value, source }) => `${`${key}: ${value}`.padEnd(width)}  # ${source}\n`)
    .join('');
}
