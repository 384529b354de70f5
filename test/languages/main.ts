import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { argumentsOf } from '../script/arguments.ts';
import { exitOnSignals } from '../script/at-exit.ts';
import { toldAndStalled, toldToItsEnd, withHastyDetector } from './told-turn.ts';

argumentsOf(
  'languages',
  `npm run languages

The example in Python (examples/other-languages/turn.py) with the real OpenTelemetry SDK, which is installed once, from its
package index, into node_modules/.cache. Skipped where there is no Python. Exit code 1: something was not as it should be.
`,
  {},
);

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const print = (text: string): void => void process.stdout.write(`${text}\n`);
const packages = ['opentelemetry-sdk', 'opentelemetry-exporter-otlp-proto-http'];
const script = here('../../examples/other-languages/turn.py');

const python = installed();
if (python === undefined) print('SKIPPED: there is no Python with venv and pip that could fetch the SDK');
else {
  exitOnSignals();
  await withHastyDetector(async (detector) => {
    const healthy = await toldToItsEnd(detector, python, [script]);
    const stalled = await toldAndStalled(detector, python, [script]);
    print(
      `to its end: ${healthy.state} ${healthy.outcome}, ${healthy.chunks} chunks, told by ${healthy.precision}`,
    );
    print(`stalled: ${stalled.state} ${stalled.reason}`);
    const isRight =
      healthy.outcome === 'completed' &&
      healthy.chunks === 3 &&
      stalled.state === 'stale' &&
      stalled.reason === 'silence';
    print(isRight ? 'all as it should be' : 'FAULT');
    if (!isRight) process.exitCode = 1;
  });
}

function installed(): string | undefined {
  const folder = here('../../node_modules/.cache/turnwatch-python');
  const file = join(folder, 'bin', 'python');
  if (existsSync(file)) return file;
  for (const [program, args] of [
    ['python3', ['-m', 'venv', folder]],
    [join(folder, 'bin', 'pip'), ['install', '--quiet', ...packages]],
  ] as const) {
    const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
    if (status === 0) continue;
    print(error?.message ?? stderr.trim().split('\n').slice(-3).join('\n'));
    return undefined;
  }
  return file;
}
