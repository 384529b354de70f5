import { argumentsOf, misused, numberOf } from '../script/arguments.ts';
import { exitOnSignals } from '../script/at-exit.ts';
import { AttackedDetector } from './attacked-detector.ts';
import { attacks } from './attacks.ts';
import { besiege, type Siege } from './siege.ts';

const help = `npm run hostile -- [flags]

Each kind of hostile input against a detector in a process of its own with a heap of 1 GB, while another source sends five
records a second. Prints a table; exit code 1 where the other source waits longer than a second or loses a record, the heap
or the memory grows beyond its bound, an answer is wrong, or the detector ends.

  --rounds N    of each, default 20
  --only TEXT   attacks whose names have it: ${attacks.map(({ name }) => name).join(', ')}
  --help
`;

const { values } = argumentsOf('hostile', help, {
  options: { rounds: { type: 'string', default: '20' }, only: { type: 'string', default: '' } },
});
const wanted = attacks.filter(({ name }) => name.includes(values.only));
if (wanted.length === 0) misused('hostile', `no attack has "${values.only}" in its name`);
const scale = {
  rounds: numberOf('hostile', '--rounds', values.rounds, 1),
  senders: 8,
  connections: 1000,
  slowMs: 15_000,
};
const MB = 1e6;
/** A container of 2 GB is enough: bodies as sent and as unpacked are the most of it. */
const bounds = { worstMs: 1000, heapMb: 700, rssMb: 1500 };

exitOnSignals();
let violations = 0;
console.log(
  '| attack | answers | beats of the other source | its worst ms | blocked ms | heap after, peak MB | memory peak MB | s |',
);
console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
for (const attack of wanted) {
  // Each its own, so that what one leaves behind is not measured with the next.
  const detector = await AttackedDetector.start({});
  const siege = await besiege(detector, attack, scale);
  const health = await fetch(`${detector.url}/healthz`);
  const wrong = [
    ...violationsOf(siege, detector),
    ...(health.status === 200 ? [] : [`/healthz is ${health.status} afterwards`]),
  ];
  await detector.end();
  violations += wrong.length;
  console.log(
    `| ${siege.attack} | ${siege.answers} | ${siege.beats} | ${siege.worstMs.toFixed(0)} | ${siege.blockedMs.toFixed(0)} | ` +
      `${mb(siege.heapBytes)}, ${mb(siege.peakHeapBytes)} | ${mb(siege.peakRssBytes)} | ${(siege.tookMs / 1000).toFixed(1)} |`,
  );
  for (const each of wrong) console.log(`VIOLATION: ${each}`);
}
console.log(violations === 0 ? 'no violation' : `${violations} violations`);
process.exitCode = violations === 0 ? 0 : 1;

function violationsOf(siege: Siege, detector: AttackedDetector): readonly string[] {
  return [
    ...(detector.alive ? [] : ['the detector has ended']),
    ...siege.wrong.map((answer) => `an attacker was answered ${answer}`),
    ...[...new Set(siege.lost)].map((answer) => `a record of the other source was answered ${answer}`),
    ...(siege.worstMs > bounds.worstMs ? [`the other source waited ${siege.worstMs.toFixed(0)} ms`] : []),
    ...(siege.peakHeapBytes > bounds.heapMb * MB ? [`the heap grew to ${mb(siege.peakHeapBytes)} MB`] : []),
    ...(siege.peakRssBytes > bounds.rssMb * MB ? [`the memory grew to ${mb(siege.peakRssBytes)} MB`] : []),
  ];
}

function mb(bytes: number): string {
  return (bytes / MB).toFixed(0);
}
