import { runbookUrl } from '../links.ts';
import type { cog } from './sdk.ts';
import { bargauge, common, dashboard, heatmap, prometheus, stat, table, timeseries } from './sdk.ts';

interface Query {
  readonly expr: string;
  /** What the series is called; `{{label}}` takes a label. */
  readonly legend: string;
}

export interface PanelSpec {
  readonly title: string;
  readonly kind: 'stat' | 'timeseries' | 'heatmap' | 'table' | 'bargauge';
  /** Of Grafana: `s`, `short`, `percentunit`, `bytes`. */
  readonly unit: string;
  /** What it shows, what is normal, and what to do when it is not. */
  readonly description: string;
  readonly queries: readonly Query[];
  /** Yellow and red from here on; `below`: under it. */
  readonly warn?: number;
  readonly critical?: number;
  readonly below?: boolean;
  /** Values with a name. */
  readonly words?: Readonly<Record<string, { readonly text: string; readonly color: string }>>;
  readonly stacked?: boolean;
  /** Of 24 columns. */
  readonly width?: number;
  readonly noValue?: string;
  /** The alert whose threshold it has. */
  readonly alert?: string;
}

export const datasource = { type: 'prometheus', uid: '$datasource' } as const;

export function panelOf(spec: PanelSpec): cog.Builder<dashboard.Panel> {
  const links = spec.alert === undefined ? [] : [runbookLink(spec.alert)];
  const width = spec.width ?? (spec.kind === 'stat' ? 4 : 12);
  const made = builderOf(spec);
  made
    .title(spec.title)
    .description(spec.description)
    .unit(spec.unit)
    .datasource(datasource)
    .span(width)
    .height(spec.kind === 'stat' ? 4 : 8)
    .links(links)
    .thresholds(thresholdsOf(spec));
  if (spec.noValue !== undefined) made.noValue(spec.noValue);
  if (spec.words !== undefined) made.mappings(mappingsOf(spec.words));
  for (const [index, query] of spec.queries.entries()) made.withTarget(targetOf(spec, query, index));
  return made;
}

function builderOf(spec: PanelSpec) {
  switch (spec.kind) {
    case 'stat':
      return new stat.PanelBuilder()
        .colorMode(common.BigValueColorMode.Background)
        .graphMode(common.BigValueGraphMode.Area);
    case 'bargauge':
      return new bargauge.PanelBuilder().orientation(common.VizOrientation.Horizontal);
    case 'table':
      return new table.PanelBuilder()
        .filterable(true)
        .withTransformation({ id: 'merge', options: {} })
        .withTransformation({ id: 'organize', options: { excludeByName: { Time: true } } });
    case 'heatmap':
      return new heatmap.PanelBuilder().calculate(false);
    case 'timeseries': {
      const made = new timeseries.PanelBuilder()
        .min(0)
        .fillOpacity(spec.stacked === true ? 40 : 8)
        .legend(
          new common.VizLegendOptionsBuilder()
            .displayMode(common.LegendDisplayMode.Table)
            .placement(common.LegendPlacement.Bottom)
            .calcs(['lastNotNull', 'max']),
        )
        .tooltip(new common.VizTooltipOptionsBuilder().mode(common.TooltipDisplayMode.Multi));
      if (spec.stacked === true)
        made.stacking(new common.StackingConfigBuilder().mode(common.StackingMode.Normal).group('A'));
      if (spec.warn !== undefined || spec.critical !== undefined)
        made.thresholdsStyle(
          new common.GraphThresholdsStyleConfigBuilder().mode(common.GraphThresholdsStyleMode.Line),
        );
      return made;
    }
  }
}

function targetOf({ kind }: PanelSpec, { expr, legend }: Query, index: number): prometheus.DataqueryBuilder {
  const target = new prometheus.DataqueryBuilder()
    .expr(expr)
    .legendFormat(legend)
    .refId(String.fromCharCode(65 + index))
    .datasource(datasource);
  if (kind === 'table') return target.instant().format(prometheus.PromQueryFormat.Table);
  if (kind === 'bargauge') return target.instant();
  return kind === 'heatmap' ? target.range().format(prometheus.PromQueryFormat.Heatmap) : target.range();
}

function thresholdsOf({ warn, critical, below }: PanelSpec): dashboard.ThresholdsConfigBuilder {
  const steps: { value: number | null; color: string }[] = [{ value: null, color: 'green' }];
  if (below === true) {
    const limit = critical ?? warn;
    if (limit !== undefined)
      steps.splice(0, 1, { value: null, color: 'red' }, { value: limit, color: 'green' });
  } else {
    if (warn !== undefined) steps.push({ value: warn, color: 'orange' });
    if (critical !== undefined) steps.push({ value: critical, color: 'red' });
  }
  return new dashboard.ThresholdsConfigBuilder().mode(dashboard.ThresholdsMode.Absolute).steps(steps);
}

function mappingsOf(words: NonNullable<PanelSpec['words']>): dashboard.ValueMapping[] {
  const options = Object.entries(words).map(([value, { text, color }], index) => [
    value,
    { text, color, index },
  ]);
  return [{ type: dashboard.MappingType.ValueToText, options: Object.fromEntries(options) }];
}

function runbookLink(alert: string): dashboard.DashboardLinkBuilder {
  return new dashboard.DashboardLinkBuilder(`Runbook: ${alert}`).url(runbookUrl(alert)).targetBlank(true);
}
