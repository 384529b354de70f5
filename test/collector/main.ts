import { parseArgs } from 'node:util';
import { runOutage } from './outage.ts';

// npm run collector:outage -- [--minutes 5] [--turns 50] [--kind stopped|held]

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    turns: { type: 'string', default: '50' },
    kind: { type: 'string', default: 'stopped' },
  },
});
const kind = values.kind === 'held' ? 'held' : 'stopped';
const begunMs = performance.now();
const print = (line: string): void =>
  void process.stdout.write(`${((performance.now() - begunMs) / 1000).toFixed(1).padStart(7)} s  ${line}\n`);
const result = await runOutage({
  kind,
  outageMs: Number(values.minutes) * 60_000,
  turns: Number(values.turns),
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
