import type { TimelineDocument, TimelineEntry } from '@turnwatch/protocol';
import { svg } from './dom.ts';
import { timeOfDay } from './moment.ts';
import { entryWords, phaseName, startOf } from './timeline-words.ts';

type Span = Extract<TimelineEntry, { from: string }>;

const labelWidth = 74;
const laneHeight = 22;
const barHeight = 14;
const axisHeight = 22;
const maxToolLanes = 6;
const leastTickPx = 90;
const stepsMs = [
  100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000,
  3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000,
];

const phaseColours: Readonly<Record<string, string>> = {
  first_token: 'var(--read)',
  queued: 'var(--read)',
  reasoning: 'var(--live)',
  text: 'var(--live)',
  tool_args: 'var(--live)',
  non_streaming: 'var(--live)',
  compacting: 'var(--person)',
  agent: 'var(--soft)',
  tool: 'var(--tool)',
  waiting: 'var(--person)',
};

const markColours: Readonly<Record<string, string>> = {
  suspect: 'var(--warn)',
  stale: 'var(--bad)',
  expired: 'var(--over)',
  request_expired: 'var(--over)',
  recovered: 'var(--good)',
  provider_error: 'var(--bad)',
};

/** The timeline as a drawing; the list beside it says the same in words. */
export function drawTimeline(document_: TimelineDocument, width: number, nowMs: number): SVGSVGElement {
  const { entries, deliveries, turn } = document_;
  const endMs = turn.settledAt === null ? nowMs : Date.parse(turn.settledAt);
  const times = entries.map((entry) => Date.parse(startOf(entry)));
  const fromMs = Math.min(endMs - 1000, ...times);
  const sent = deliveries.flatMap(({ log, endpoint }) => log.map((attempt) => ({ ...attempt, endpoint })));
  const toMs = Math.max(endMs, ...sent.map(({ at }) => Date.parse(at)));
  const spanMs = Math.max(1000, toMs - fromMs);
  const left = width < 480 ? 0 : labelWidth;
  const x = (ms: number): number => left + ((ms - fromMs) / spanMs) * (width - left - 2);
  const scale: Scale = { x, endMs, nowMs };

  const lanes: Lane[] = [{ name: 'phase', spans: spansOf(entries, 'phase') }];
  for (const [name, kind] of [
    ['requests', 'request'],
    ['tools', 'tool'],
    ['waits', 'wait'],
  ] as const)
    lanes.push(...packed(name, spansOf(entries, kind), scale));
  const gaps = spansOf(entries, 'gap');
  if (gaps.length > 0) lanes.push({ name: 'silences', spans: gaps });
  const sentLane = lanes.length;
  const rows = lanes.length + (sent.length > 0 ? 1 : 0);
  const height = rows * laneHeight + axisHeight;

  const drawing = svg('svg', { viewBox: `0 0 ${width} ${height}`, width, height, 'aria-hidden': 'true' });
  drawing.append(axis(fromMs, spanMs, x, width, rows * laneHeight));
  lanes.forEach(({ name, spans }, index) => {
    const top = index * laneHeight;
    if (left > 0 && lanes[index - 1]?.name !== name) drawing.append(svg('text', { x: 0, y: top + 15 }, name));
    for (const span of spans) drawing.append(bar(span, top + (laneHeight - barHeight) / 2, scale));
  });
  for (const entry of entries)
    if (entry.kind === 'mark') drawing.append(...mark(entry, x, rows * laneHeight));
  if (sent.length > 0) {
    const top = sentLane * laneHeight + laneHeight / 2;
    if (left > 0) drawing.append(svg('text', { x: 0, y: top + 4 }, 'told'));
    for (const { at, outcome, endpoint } of sent) {
      const good = outcome === 'delivered';
      const fill = good ? 'var(--good)' : 'var(--surface)';
      const dot = svg('circle', {
        cx: x(Date.parse(at)),
        cy: top,
        r: 5,
        fill,
        stroke: good ? fill : 'var(--bad)',
        'stroke-width': 2,
      });
      dot.append(svg('title', {}, `${endpoint}: ${outcome}`));
      drawing.append(dot);
    }
  }
  return drawing;
}

interface Scale {
  readonly x: (ms: number) => number;
  readonly endMs: number;
  readonly nowMs: number;
}

interface Lane {
  readonly name: string;
  readonly spans: readonly Span[];
}

function spansOf(entries: readonly TimelineEntry[], kind: Span['kind']): Span[] {
  return entries.filter((entry): entry is Span => entry.kind === kind);
}

function endOf({ to }: Span, { endMs }: Scale): number {
  return to === null ? endMs : Date.parse(to);
}

/** Spans that overlap go to lanes of their own; beyond the last lane they share it. */
function packed(name: string, spans: readonly Span[], scale: Scale): Lane[] {
  const lanes: { name: string; spans: Span[]; endMs: number }[] = [];
  for (const span of spans) {
    const fromMs = Date.parse(span.from);
    const free = lanes.find(({ endMs }) => endMs <= fromMs);
    const lane = free ?? (lanes.length < maxToolLanes ? undefined : lanes.at(-1));
    if (lane === undefined) lanes.push({ name, spans: [span], endMs: endOf(span, scale) });
    else {
      lane.spans.push(span);
      lane.endMs = Math.max(lane.endMs, endOf(span, scale));
    }
  }
  return lanes;
}

function bar(span: Span, top: number, scale: Scale): SVGGElement {
  const from = scale.x(Date.parse(span.from));
  const width = Math.max(2, scale.x(endOf(span, scale)) - from);
  const group = svg('g', {});
  const colour = colourOf(span);
  group.append(
    svg('rect', {
      x: from,
      y: top,
      width,
      height: barHeight,
      rx: Math.min(3, width / 2),
      fill: colour,
      'fill-opacity': span.kind === 'gap' ? 0.18 : 0.32,
      stroke: span.kind === 'gap' ? colour : 'none',
      'stroke-dasharray': span.kind === 'gap' ? '3 3' : undefined,
    }),
  );
  if (span.kind === 'request' && span.firstContentAt !== null)
    group.append(
      svg('rect', {
        x: scale.x(Date.parse(span.firstContentAt)),
        y: top,
        width: 2,
        height: barHeight,
        fill: 'var(--live)',
      }),
    );
  const label = labelOf(span);
  if (width > 8 + label.length * 6.4)
    group.append(svg('text', { x: from + 5, y: top + barHeight - 3, class: 'inside' }, label));
  group.append(svg('title', {}, entryWords(span, scale.nowMs)));
  return group;
}

function colourOf(span: Span): string {
  switch (span.kind) {
    case 'phase':
      return phaseColours[span.phase] ?? 'var(--soft)';
    case 'request':
      return 'var(--read)';
    case 'tool':
      return 'var(--tool)';
    case 'wait':
      return 'var(--person)';
    case 'gap':
      return 'var(--warn)';
  }
}

function labelOf(span: Span): string {
  switch (span.kind) {
    case 'phase':
      return phaseName(span.phase);
    case 'request':
      return span.id.slice(0, 24);
    case 'tool':
      return (span.name ?? span.id).slice(0, 24);
    case 'wait':
      return span.for.replace('_', ' ');
    case 'gap':
      return `${Math.round(span.ms / 1000)} s`;
  }
}

function mark(
  entry: Extract<TimelineEntry, { kind: 'mark' }>,
  x: (ms: number) => number,
  height: number,
): SVGElement[] {
  const colour = markColours[entry.what];
  if (colour === undefined) return [];
  const at = x(Date.parse(entry.at));
  const group = svg('g', {});
  group.append(
    svg('line', { x1: at, x2: at, y1: 0, y2: height, stroke: colour, 'stroke-width': 2 }),
    svg('path', { d: `M${at - 5} 0h10l-5 7z`, fill: colour }),
    svg('title', {}, entryWords(entry, 0)),
  );
  return [group];
}

function axis(
  fromMs: number,
  spanMs: number,
  x: (ms: number) => number,
  width: number,
  top: number,
): SVGGElement {
  const group = svg('g', {});
  const wanted = spanMs / Math.max(2, width / leastTickPx);
  const stepMs = stepsMs.find((step) => step >= wanted) ?? 86_400_000;
  for (let ms = Math.ceil(fromMs / stepMs) * stepMs; ms <= fromMs + spanMs; ms += stepMs) {
    const at = x(ms);
    if (at > width - 30) break;
    group.append(
      svg('line', { x1: at, x2: at, y1: 0, y2: top + 4, stroke: 'var(--line)' }),
      svg(
        'text',
        { x: at + 3, y: top + 16 },
        stepMs < 1000 ? `${timeOfDay(ms)}.${Math.floor((ms % 1000) / 100)}` : timeOfDay(ms),
      ),
    );
  }
  return group;
}
