import { filledIn } from '../testing/panel-query.ts';
import type { RunningPrometheus } from '../testing/running-prometheus.ts';
import type { Span } from './history.ts';
import { scrapeEveryS } from './simulated-hours.ts';

interface Target {
  readonly expr: string;
  /** The least one of its panel: `1m`. */
  readonly interval?: string;
  readonly instant?: boolean;
}

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly targets?: readonly Target[];
  readonly panels?: readonly Panel[];
}

interface Dashboard {
  readonly title: string;
  readonly description: string;
  readonly panels: readonly Panel[];
  readonly annotations: { readonly list: readonly { readonly expr?: string; readonly iconColor: string }[] };
}

/** What the page of pictures shows of one panel: itself, each target with what Prometheus answered. */
type Answered = Panel & { readonly targets: readonly (Target & { readonly series: readonly unknown[] })[] };

export interface Shown {
  readonly title: string;
  readonly description: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
  readonly rows: readonly { readonly title: string; readonly panels: readonly Answered[] }[];
  readonly marks: readonly { readonly atMs: number; readonly color: string }[];
}

/** Asks everything that a dashboard asks, as Grafana would with all selected, collapsed rows opened. */
export async function answered(
  dashboard: Dashboard,
  prometheus: RunningPrometheus,
  span: Span,
): Promise<Shown> {
  const scrapeMs = scrapeEveryS * 1000;
  const ask = ({ expr, instant = false, interval }: Target) => {
    const stepMs = interval === '1m' ? 60_000 : scrapeMs;
    // As Grafana has it.
    const rateMs = Math.max(stepMs + scrapeMs, 4 * scrapeMs);
    const filled = filledIn(expr, {
      $__rate_interval: `${rateMs / 1000}s`,
      $agents: '.+',
      $collectors: '.+',
    });
    return instant
      ? prometheus.seriesAt(filled, span.endMs)
      : prometheus.range(filled, span.startMs, span.endMs, stepMs);
  };
  const answer = async (panel: Panel): Promise<Answered> => {
    const targets = [];
    for (const target of panel.targets ?? []) targets.push({ ...target, series: await ask(target) });
    return { ...panel, targets };
  };
  const rows: { title: string; panels: Answered[] }[] = [];
  for (const panel of dashboard.panels) {
    if (panel.type === 'row') {
      const panels = [];
      for (const inner of panel.panels ?? []) panels.push(await answer(inner));
      rows.push({ title: panel.title, panels });
    } else rows.at(-1)?.panels.push(await answer(panel));
  }
  const marks = [];
  for (const { expr, iconColor } of dashboard.annotations.list) {
    if (expr === undefined) continue;
    // Points that follow each other are one mark.
    for (const { values = [] } of await ask({ expr }))
      for (const [index, [atS]] of values.entries())
        if (atS * 1000 - (values[index - 1]?.[0] ?? 0) * 1000 > scrapeMs)
          marks.push({ atMs: atS * 1000, color: iconColor });
  }
  const { title, description } = dashboard;
  return { title, description, fromMs: span.startMs, toMs: span.endMs, stepMs: scrapeMs, rows, marks };
}
