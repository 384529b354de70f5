import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { documentOf } from './study-document.ts';
import { gather, modelIds, type StudyOptions, tasksOf } from './study-plan.ts';
import { runShared } from './study-pool.ts';

const usualTurns = 200_000;
const fullTurns = 2_000_000;

const help = `npm run study -- [flags]

How soon stalls are found and how often healthy turns are accused, by models of providers. Writes docs/study.md.

  --turns N            of each model, default ${usualTurns}
  --full [MODEL,...]   these, or all, with ${fullTurns} turns
  --models MODEL,...   ${modelIds.join(',')}; default all
  --seed N             default 1
  --out FILE           default docs/study.md
  --threads N          default one for each processor
  --help
`;

function misused(why: string): never {
  process.stderr.write(`study: ${why}; see npm run study -- --help\n`);
  process.exit(2);
}

function whole(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    misused(`--${name} must be a whole number of at least 1, not "${text}"`);
  return value;
}

function known(name: string, text: string): string[] {
  const ids = text.split(',').filter((id) => id !== '');
  for (const id of ids)
    if (!modelIds.includes(id))
      misused(`--${name}: there is no model "${id}"; there are ${modelIds.join(', ')}`);
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

// Returned as it is parsed: its type is that of the flags.
function valuesOf(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        full: { type: 'string', default: '' },
        turns: { type: 'string', default: String(usualTurns) },
        models: { type: 'string', default: '' },
        seed: { type: 'string', default: '1' },
        threads: { type: 'string', default: String(availableParallelism()) },
        out: { type: 'string', default: '' },
      },
    }).values;
  } catch (error) {
    misused(error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error));
  }
}

const given = process.argv.slice(2);
if (given.includes('--help') || given.includes('-h')) {
  process.stdout.write(help);
  process.exit(0);
}
const values = valuesOf(withFull(given));
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
