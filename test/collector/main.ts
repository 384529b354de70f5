import { argumentsOf, misused, numberOf } from '../script/arguments.ts';
import { exitOnSignals } from '../script/at-exit.ts';
import { runOutage } from './outage.ts';

const script = 'collector:outage';
const help = `npm run ${script} -- [flags]

A real Collector between agents and the detector is away for a while: no running turn may be called stale meanwhile, and
afterwards the verdicts are those of the direct way. Needs npm run collector:build.

  --minutes N   how long it is away, default 5
  --turns N     default 50
  --kind KIND   stopped (the default): its process has ended; held: it stands still (SIGSTOP)
  --help

Exit code 1: something was not as it should be.
`;

const { values } = argumentsOf(script, help, {
  options: {
    minutes: { type: 'string', default: '5' },
    turns: { type: 'string', default: '50' },
    kind: { type: 'string', default: 'stopped' },
  },
});
const kind = ['stopped', 'held'].includes(values.kind)
  ? (values.kind as 'stopped' | 'held')
  : misused(script, `--kind must be stopped or held, not "${values.kind}"`);
const minutes = numberOf(script, '--minutes', values.minutes, 0);
const turns = numberOf(script, '--turns', values.turns, 1);
exitOnSignals();
const begunMs = performance.now();
const print = (line: string): void =>
  void process.stdout.write(`${((performance.now() - begunMs) / 1000).toFixed(1).padStart(7)} s  ${line}\n`);
const result = await runOutage({
  kind,
  outageMs: minutes * 60_000,
  turns,
  print,
});
print(JSON.stringify(result, null, 2));
const same = JSON.stringify(result.verdicts.collector) === JSON.stringify(result.verdicts.direct);
const faults = [
  ...(result.mistakes.length === 0 ? [] : [`${result.mistakes.length} verdicts about turns that went on`]),
  ...(result.silentTold === 1 ? [] : [`the silent path was told ${result.silentTold} times`]),
  ...(same ? [] : ['the verdicts are not the same as without the Collector']),
];
for (const fault of faults) print(`FAULT ${fault}`);
if (faults.length > 0) process.exitCode = 1;
else
  print(
    'no running turn was called stale; one event about the path; the verdicts are those of the direct way',
  );
