import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { documentOf } from './study-document.ts';
import { gather, modelIds, type StudyOptions, tasksOf } from './study-plan.ts';
import { runShared } from './study-pool.ts';

// npm run study -- [--full [S2c,S3b]] [--turns N] [--models S1,S2] [--seed N] [--out FILE] [--threads N]

const usualTurns = 200_000;
const fullTurns = 2_000_000;

function whole(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new RangeError(`--${name} must be a whole number of at least 1, not "${text}"`);
  return value;
}

function known(name: string, text: string): string[] {
  const ids = text.split(',').filter((id) => id !== '');
  for (const id of ids)
    if (!modelIds.includes(id))
      throw new RangeError(`--${name}: there is no model "${id}". There are ${modelIds.join(', ')}`);
  return ids;
}

/** `--full` may stand alone: all models. */
function withFull(args: readonly string[]): string[] {
  return args.flatMap((arg, i) => {
    const next = args[i + 1];
    return arg === '--full' && (next === undefined || next.startsWith('--'))
      ? ['--full', modelIds.join()]
      : [arg];
  });
}

const { values } = parseArgs({
  args: withFull(process.argv.slice(2)),
  options: {
    full: { type: 'string', default: '' },
    turns: { type: 'string', default: String(usualTurns) },
    models: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
    threads: { type: 'string', default: String(availableParallelism()) },
    out: { type: 'string', default: '' },
  },
});
const options: StudyOptions = {
  turns: whole('turns', values.turns),
  turnsOf: Object.fromEntries(known('full', values.full).map((id) => [id, fullTurns])),
  models: known('models', values.models),
  seed: whole('seed', values.seed),
};
const tasks = tasksOf(options);
const results = await runShared(tasks, whole('threads', values.threads), (done) => {
  if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${tasks.length}`);
});
if (process.stderr.isTTY) process.stderr.write('\n');
const shown = process.argv
  .slice(2)
  .filter((arg, i, all) => !/^--(out|threads)/.test(arg) && !/^--(out|threads)$/.test(all[i - 1] ?? ''));
const command = `npm run study${shown.length === 0 ? '' : ` -- ${shown.join(' ')}`}`;
const page = documentOf(command, options.seed, gather(results));
if (values.out === '') process.stdout.write(page);
else {
  writeFileSync(values.out, page);
  process.stderr.write(`written: ${values.out}\n`);
}
