import { svg } from './dom.ts';
import { type LabelPlace, lineLabels } from './line-labels.ts';
import { spell } from './words.ts';

/** A baseline as `GET /v1/baselines` lists it, as far as it is drawn. */
export interface Learned {
  readonly provider: string;
  readonly model: string;
  readonly phase: string;
  readonly samples: number;
  readonly largestGapMs: number;
  readonly largestGaps: readonly { readonly gapMs: number }[];
  readonly excluded: readonly { readonly gapMs: number }[];
  readonly censored: number;
  readonly largestCensoredGapMs: number;
  readonly backoff: number;
  readonly quantilesMs: { readonly p50: number; readonly p90: number; readonly p99: number } | null;
  readonly buckets: readonly { readonly toMs: number; readonly count: number }[];
  readonly thresholdMs: number;
  readonly thresholdSource: string;
  readonly confirmMs: number;
}

const height = 96;
const axis = 20;
const ticksMs = [10, 100, 1000, 10_000, 60_000, 600_000, 3_600_000, 86_400_000];

/** Silences on a logarithmic scale: a bar for each bucket, a line where suspicion and verdict begin. */
export function drawDistribution(learned: Learned, width: number): SVGSVGElement {
  const { buckets, thresholdMs, confirmMs, largestGaps, excluded } = learned;
  const staleMs = thresholdMs + confirmMs;
  const all = [...buckets.map(({ toMs }) => toMs), ...largestGaps.map(({ gapMs }) => gapMs), thresholdMs];
  const least = Math.log(Math.max(10, Math.min(...all) / 2));
  const most = Math.log(Math.max(staleMs, ...all) * 1.6);
  const x = (ms: number): number => ((Math.log(Math.max(1, ms)) - least) / (most - least)) * (width - 4) + 2;
  const floor = height - axis;
  const drawing = svg('svg', { viewBox: `0 0 ${width} ${height}`, width, height, 'aria-hidden': 'true' });
  drawing.append(
    svg('rect', {
      x: x(staleMs),
      y: 0,
      width: Math.max(0, width - x(staleMs)),
      height: floor,
      fill: 'var(--bad)',
      'fill-opacity': 0.08,
    }),
  );
  drawing.append(svg('line', { x1: 0, x2: width, y1: floor, y2: floor, stroke: 'var(--line)' }));
  for (const ms of ticksMs) {
    const at = x(ms);
    if (at < 0 || at > width - 24) continue;
    drawing.append(
      svg('line', { x1: at, x2: at, y1: floor, y2: floor + 4, stroke: 'var(--soft)' }),
      svg('text', { x: at, y: height - 4, 'text-anchor': at < 20 ? 'start' : 'middle' }, spell(ms)),
    );
  }
  const tallest = Math.max(1, ...buckets.map(({ count }) => count));
  let before = buckets[0] === undefined ? 0 : buckets[0].toMs / 1.4;
  for (const { toMs, count } of buckets) {
    // No bucket is wider than it is drawn: an empty stretch before it stays empty.
    const from = x(Math.max(before, toMs / 1.4));
    const tall = Math.max(3, (count / tallest) * (floor - 14));
    const bar = svg('rect', {
      x: from,
      y: floor - tall,
      width: Math.max(2, x(toMs) - from - 1),
      height: tall,
      rx: 1.5,
      fill: 'var(--live)',
      'fill-opacity': 0.55,
    });
    bar.append(svg('title', {}, `${count} up to ${spell(toMs)}`));
    drawing.append(bar);
    before = toMs;
  }
  if (buckets.length === 0)
    for (const { gapMs } of largestGaps)
      drawing.append(svg('circle', { cx: x(gapMs), cy: floor - 6, r: 3.5, fill: 'var(--live)' }));
  for (const { gapMs } of excluded)
    drawing.append(
      svg('circle', { cx: x(gapMs), cy: floor - 6, r: 3.5, fill: 'none', stroke: 'var(--soft)' }),
    );
  const labels = lineLabels(x(thresholdMs), x(staleMs), width);
  drawing.append(
    ...line(x(thresholdMs), floor, 'var(--warn)', 'suspect', labels.suspect, 10),
    ...line(x(staleMs), floor, 'var(--bad)', 'stale', labels.stale, 24),
  );
  return drawing;
}

function line(
  at: number,
  floor: number,
  colour: string,
  name: string,
  label: LabelPlace,
  y: number,
): SVGElement[] {
  return [
    svg('line', { x1: at, x2: at, y1: 0, y2: floor, stroke: colour, 'stroke-width': 2 }),
    svg('text', { x: label.x, y, 'text-anchor': label.anchor }, name),
  ];
}
