import {
  parseScenario,
  type RunOptions,
  runScenario,
  type ScenarioResult,
  type TraceLine,
} from '@turnwatch/testing';
import type { Run } from '../command.ts';
import { UsageError } from '../usage-error.ts';
import { hintOfCapture } from './capture-hint.ts';
import type { replayFlags } from './command.ts';
import { fileBytes } from './file-bytes.ts';

/** Runs every file, whatever becomes of the others. */
export const runScenarios: Run<typeof replayFlags> = async (flags, operands, output) => {
  const files = [...(flags.scenario ?? []), ...operands];
  if (files.length === 0)
    throw new UsageError('replay needs at least one file: --scenario FILE... or --capture FILE...');
  const json = flags.json === true;
  const trace = (line: TraceLine): void =>
    json ? output.err(`${JSON.stringify(line)}\n`) : output.out(`      ${traceText(line)}\n`);
  const options: RunOptions = {
    ...(flags.phase === undefined ? {} : { phaseMs: flags.phase }),
    ...(flags.double === undefined ? {} : { double: flags.double }),
    ...(flags.skew === undefined ? {} : { skewS: flags.skew }),
    ...(flags.trace === true ? { trace } : {}),
  };
  let failed = 0;
  for (const file of files) {
    const result = replay(file, options);
    if (!result.passed) failed++;
    const { id, passed, failures } = result;
    output.out(json ? `${JSON.stringify({ id, passed, failures })}\n` : resultText(result));
  }
  if (!json) output.out(`\n${files.length} run, ${files.length - failed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
};

/** A file that cannot be run has failed, under its own name, with the reason in its failures. */
function replay(file: string, options: RunOptions): ScenarioResult {
  let bytes: Buffer | undefined;
  try {
    bytes = fileBytes(file);
    return runScenario(parseScenario(bytes.toString('utf8'), file), options);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const hint = bytes === undefined ? undefined : hintOfCapture(file, bytes);
    return {
      id: file,
      passed: false,
      failures: [hint ?? (message.startsWith(file) ? message : `${file}: ${message}`)],
      events: [],
    };
  }
}

function resultText({ id, passed, failures }: ScenarioResult): string {
  const lines = failures.flatMap((failure) => failure.split('\n')).map((line) => `        ${line}\n`);
  return `${passed ? 'ok    ' : 'FAILED'}  ${id}\n${lines.join('')}`;
}

function traceText({ t, turn, state, phase, silenceMs, thresholdMs, reason }: TraceLine): string {
  const silence = `${(silenceMs / 1000).toFixed(1)} of ${(thresholdMs / 1000).toFixed(1)} s`;
  return `${t.toFixed(1).padStart(8)} s  ${turn.padEnd(14)} ${state.padEnd(8)} ${phase.padEnd(13)} ${silence}${reason === null ? '' : `  ${reason}`}`;
}
