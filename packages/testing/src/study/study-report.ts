import { quantile, upperBound95 } from './bounds.ts';
import { gapModels } from './gap-models.ts';
import type { ObservationTally } from './observation-study.ts';
import type { StudyResult } from './study-plan.ts';
import { type Tally, warmths } from './tally.ts';

/** A share as people read it: `0`, `3.1e-4`. */
export function rate(value: number): string {
  return value === 0 ? '0' : value.toExponential(1);
}

function rateOf(count: number, trials: number): string {
  return trials === 0 ? '-' : rate(count / trials);
}

function seconds(values: readonly number[], p: number): string {
  const ms = quantile(values, p);
  if (ms === undefined) return '-';
  return ms < 100_000 ? (ms / 1000).toFixed(1) : String(Math.round(ms / 1000));
}

function pair(values: readonly number[]): string {
  return values.length === 0 ? '-' : `${seconds(values, 0.5)} / ${seconds(values, 0.99)}`;
}

export function number(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

function reasonsOf(counts: Readonly<Record<string, number>>): string {
  const each = Object.entries(counts).map(([name, count]) => `${name} ${number(count)}`);
  return each.length === 0 ? '-' : each.join(', ');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line), ''];
}

function gapSection(id: string, tallies: readonly Tally[]): string[] {
  const model = gapModels.find((each) => each.id === id);
  const first = tallies[0];
  if (model === undefined || first === undefined) return [];
  const reads = model.stops.includes('read');
  const mids = model.stops.includes('mid');
  const recovers = first.recovering > 0;
  const rows = tallies.map((tally) => [
    tally.rule,
    `${rateOf(tally.flagged, tally.turns)} (${number(tally.flagged)})`,
    rate(upperBound95(tally.flagged, tally.turns)),
    ...(mids ? [pair(tally.delaysMs.mid)] : []),
    ...(reads ? [pair(tally.delaysMs.read)] : []),
    pair(tally.delaysMs.first),
    pair(tally.beyondMs),
    seconds(tally.mistakesMs, 0.5),
    ...(recovers ? [`${tally.recoveringFound} of ${tally.recovering}`] : []),
  ]);
  const stops = model.stops.reduce((sum, kind) => sum + first.delaysMs[kind].length, 0);
  return [
    `### ${id}: ${model.title}`,
    '',
    `${number(first.turns)} healthy turns, ${number(model.turnsPerKey)} a key; ${number(stops)} silent stops.`,
    '',
    ...table(
      [
        'rule',
        'false flags a healthy turn (count)',
        'below, 95 %',
        ...(mids ? ['stop in mid-stream, p50 / p99 s'] : []),
        ...(reads ? ['stop in queue or read, p50 / p99 s'] : []),
        'stop before any sign, p50 / p99 s',
        'beyond T + C, p50 / p99 s',
        'T_M median, s',
        ...(recovers ? ['recovering stalls told'] : []),
      ],
      rows,
    ),
  ];
}

/** False flags by how much the key knew already, for the two presets. */
function warmthSection(gaps: StudyResult['gaps']): string[] {
  const rows: string[][] = [];
  for (const [id, tallies] of gaps)
    for (const tally of tallies.slice(0, 2))
      rows.push([
        `${id} ${tally.rule}`,
        ...warmths.map((warmth) => {
          const turns = tally.turnsBy[warmth];
          const count = tally.flaggedBy[warmth];
          return turns === 0
            ? '-'
            : `${rateOf(count, turns)} (${number(count)}), below ${rate(upperBound95(count, turns))}`;
        }),
        reasonsOf(tally.flaggedIn),
      ]);
  return [
    '## False flags by what the key had learned',
    '',
    ...table(['scenario and preset', ...warmths, 'flagged in phase'], rows),
  ];
}

function observationSection(tallies: readonly ObservationTally[]): string[] {
  const [first] = tallies;
  if (first === undefined) return [];
  const { faults } = first;
  const rows = tallies.map((tally) => [
    tally.rule,
    `${rateOf(tally.flagged, tally.turns)} (${number(tally.flagged)})`,
    rate(upperBound95(tally.flagged, tally.turns)),
    reasonsOf(tally.flaggedBy),
    `${number(tally.delaysMs.length)} of ${number(tally.stops)}`,
    pair(tally.delaysMs),
    pair(tally.beyondMs),
    `${number(tally.deathDelaysMs.length)} of ${number(tally.deaths)}`,
    pair(tally.deathDelaysMs),
  ]);
  const compared = Object.entries(first.arrival).map(([rule, count]) => [
    rule,
    `${rateOf(count, first.turns)} (${number(count)})`,
    rate(upperBound95(count, first.turns)),
    ...Array.from({ length: 6 }, () => '-'),
  ]);
  return [
    '### OBS: the observation layer',
    '',
    `${number(first.turns)} turns of warm keys (largest healthy gap 18 s), heartbeat for heartbeat through the real producer`,
    'and its awake clock, on clocks of simulated machines. 10 % of all batches come 5 to 60 s late, 2 % never. Beside that',
    `${number(faults.sleeps)} sleeps of portable hosts (up to 9 minutes without a word, longer ones announced, the notice acknowledged),`,
    `${number(faults.stalls)} stops of servers of up to 45 s, ${number(faults.jams)} jams of the pipeline of up to 120 s and`,
    `${number(faults.pauses)} pauses of the detector (of up to 60 s, or its host asleep for up to 10 minutes). Delays are true time: they contain`,
    'the sleeps of the host and of the detector, in which nobody can know.',
    '',
    ...table(
      [
        'rule',
        'false flags a turn (count)',
        'below, 95 %',
        'by reason',
        'stops found',
        'stop, p50 / p99 s',
        'beyond T + C, p50 / p99 s',
        'deaths found',
        'death, p50 / p99 s',
      ],
      [...rows, ...compared],
    ),
  ];
}

export function reportOf(result: StudyResult): string[] {
  return [
    '## By scenario',
    '',
    ...[...result.gaps].flatMap(([id, tallies]) => gapSection(id, tallies)),
    ...observationSection(result.observation),
    ...(result.gaps.size === 0 ? [] : warmthSection(result.gaps)),
  ];
}
