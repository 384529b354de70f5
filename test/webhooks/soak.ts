import { argumentsOf, misused, numberOf } from '../script/arguments.ts';
import { exitOnSignals } from '../script/at-exit.ts';
import { crowd } from './crowd.ts';
import { killRounds } from './kill-rounds.ts';

const help = `npm run soak -- kills [ROUNDS] [--seed N]
npm run soak -- endpoints [VERDICTS] [--per-second N]

  kills          detector and parents are killed at random instants, 200 rounds: each verdict is handled once
  endpoints      1000 parents, of which 101 misbehave, are told 3 verdicts each: the others within a second
  --seed N       of kills; default any, it is printed
  --per-second N of endpoints: verdicts over all parents, default 100; Infinity: all at once
  --help

Exit code 1: something was not as it should be.
`;

const { values, positionals } = argumentsOf('soak', help, {
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    'per-second': { type: 'string', default: '100' },
  },
});
const [name, count, ...more] = positionals;
exitOnSignals();
const print = (text: string): void => void process.stdout.write(`${text}\n`);

if (more.length > 0) misused('soak', `unexpected argument '${more[0]}'`);
if (name === 'kills') await soakKills(numberOf('soak', 'ROUNDS', count ?? '200', 1));
else if (name === 'endpoints') await soakEndpoints(numberOf('soak', 'VERDICTS', count ?? '3', 1));
else misused('soak', `there is no soak "${name ?? ''}"; there are kills and endpoints`);

async function soakKills(rounds: number): Promise<void> {
  const seed =
    values.seed === undefined
      ? Math.floor(Math.random() * 2 ** 31)
      : numberOf('soak', '--seed', values.seed, 0);
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
  const perSecond = numberOf('soak', '--per-second', values['per-second'], 1);
  print(
    `endpoints: 1000, of them 50 hang, 50 answer 500, 1 streams without end; ${eventsEach} verdicts each, ${perSecond} a second`,
  );
  const result = await crowd({ endpoints: 1000, hang: 50, fail: 50, endless: 1, eventsEach, perSecond });
  print(JSON.stringify(result, null, 2));
  const late = result.delayMs.p99 > 1000;
  print(`p99 ${result.delayMs.p99} ms, ${late ? 'over' : 'within'} 1 s`);
  if (late) process.exitCode = 1;
}
