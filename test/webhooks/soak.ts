import { parseArgs } from 'node:util';
import { crowd } from './crowd.ts';
import { killRounds } from './kill-rounds.ts';

// npm run soak -- kills [ROUNDS] [--seed N]
// npm run soak -- endpoints [VERDICTS A PARENT] [--per-second N|Infinity]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    /** Verdicts a second over all parents; `Infinity`: all at once. */
    'per-second': { type: 'string', default: '100' },
  },
});
const [name, count] = positionals;
const print = (text: string): void => void process.stdout.write(`${text}\n`);

if (name === 'kills') await soakKills(Number(count ?? 200));
else if (name === 'endpoints') await soakEndpoints(Number(count ?? 3));
else {
  process.stderr.write(`soak: there is no soak "${name ?? ''}". npm run soak -- kills 200 | endpoints 3\n`);
  process.exitCode = 2;
}

async function soakKills(rounds: number): Promise<void> {
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
  print(`kills: ${rounds} rounds, seed ${seed}`);
  const { faults, ...result } = await killRounds({
    rounds,
    seed,
    onRound: (round, verdicts) => {
      if (round % 20 === 0) print(`  round ${round}: ${verdicts} turns acknowledged as stale`);
    },
  });
  print(JSON.stringify(result, null, 2));
  for (const fault of faults) print(`FAULT ${fault}`);
  print(faults.length === 0 ? 'each verdict was handled once, in the same bytes' : `${faults.length} faults`);
  if (faults.length > 0) process.exitCode = 1;
}

async function soakEndpoints(eventsEach: number): Promise<void> {
  const perSecond = Number(values['per-second']);
  print(
    `endpoints: 1000, of them 50 hang, 50 answer 500, 1 streams without end; ${eventsEach} verdicts each, ${perSecond} a second`,
  );
  const result = await crowd({ endpoints: 1000, hang: 50, fail: 50, endless: 1, eventsEach, perSecond });
  print(JSON.stringify(result, null, 2));
  const late = result.delayMs.p99 > 1000;
  print(`p99 ${result.delayMs.p99} ms, ${late ? 'over' : 'within'} 1 s`);
  if (late) process.exitCode = 1;
}
