import { SmallDisk } from '../../packages/detector/src/testing/small-disk.ts';
import { argumentsOf, numberOf } from '../script/arguments.ts';
import { atExit, exitOnSignals } from '../script/at-exit.ts';
import { type CrashResult, crashRounds } from './crash-rounds.ts';

const help = `npm run crash -- [flags]

The detector is killed at random instants while it works, again and again: nothing that it has acknowledged may be lost.

  --rounds N     default 100
  --seed N       default any; it is printed
  --small-disk   on a tmpfs of 48 MB that is full half of the time; needs the right to mount
  --help

Exit code 1: something was lost.
`;

const { values } = argumentsOf('crash', help, {
  options: {
    rounds: { type: 'string', default: '100' },
    seed: { type: 'string' },
    'small-disk': { type: 'boolean', default: false },
  },
});
exitOnSignals();
const print = (text: string): void => void process.stdout.write(`${text}\n`);
const seed = seedOf(values.seed);
const rounds = numberOf('crash', '--rounds', values.rounds, 1);
const disk = values['small-disk'] ? SmallDisk.mount(48) : undefined;
if (values['small-disk'] && disk === undefined) process.exit(1);
atExit(() => disk?.unmount());
print(`crash: ${rounds} rounds, seed ${seed}${disk === undefined ? '' : ', on a small disk'}`);
try {
  const result = await crashRounds({
    rounds,
    seed,
    ...(disk === undefined ? {} : { disk }),
    onRound: (round, { started, verdictsSeen }) => {
      if (round % 10 === 0) print(`  round ${round}: ${started} starts, ${verdictsSeen} verdicts`);
    },
  });
  report(result);
} finally {
  disk?.unmount();
}

function seedOf(given: string | undefined): number {
  return given === undefined ? Math.floor(Math.random() * 2 ** 31) : numberOf('crash', '--seed', given, 0);
}

function report({ faults, upMs, recoveredMs, ...result }: CrashResult): void {
  print(JSON.stringify({ ...result, upMs: spread(upMs), recoveredMs: spread(recoveredMs) }, null, 2));
  for (const fault of faults) print(`FAULT ${fault}`);
  print(faults.length === 0 ? 'nothing that was acknowledged is lost' : `${faults.length} faults`);
  if (faults.length > 0) process.exitCode = 1;
}

function spread(values: readonly number[]): { median: number; max: number } | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  const max = sorted.at(-1);
  return max === undefined ? undefined : { median: sorted[Math.floor(sorted.length / 2)] ?? max, max };
}
