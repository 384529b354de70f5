import { runbookUrl } from '../links.ts';
import type { cog } from './sdk.ts';
import { common, dashboard, heatmap, prometheus, stat, table, timeseries } from './sdk.ts';

interface Column {
  /** A label, or `Value #A` of the first query. */
  readonly of: string;
  readonly title: string;
  readonly unit?: string;
  /** In pixels; without it columns share what is left. */
  readonly width?: number;
}

/** How one series differs from the others of its panel. */
interface SeriesSpec {
  /** What it means, not where it stands in a list. */
  readonly color?: string;
  readonly unit?: string;
  readonly critical?: number;
  /** A line that others are held against: dashed, nothing under it. */
  readonly limit?: boolean;
}

interface Query {
  readonly expr: string;
  /** What the series is called; `{{label}}` takes a label. */
  readonly legend: string;
}

export interface PanelSpec {
  readonly title: string;
  readonly kind: 'stat' | 'timeseries' | 'heatmap' | 'table';
  /** Of Grafana: `s`, `short`, `percentunit`, `bytes`; `count`: things that are whole. */
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
  /** Series by their legend; between slashes: by an expression. */
  readonly series?: Readonly<Record<string, SeriesSpec>>;
  /** So many series that their legend needs a column of its own. */
  readonly many?: boolean;
  /** From milliseconds to hours in one panel. */
  readonly log?: boolean;
  /** Of a table, in their order; others are not shown. The largest of the first value come first. */
  readonly columns?: readonly Column[];
  /** Of 24 columns. */
  readonly width?: number;
  /** What it means that there is nothing. Default: that nobody scrapes the detector. */
  readonly noValue?: string;
  /** The alert whose threshold it has. */
  readonly alert?: string;
}

const nothingColor = '#6e7077';

export const datasource = { type: 'prometheus', uid: '$datasource' } as const;

export function panelOf(spec: PanelSpec): cog.Builder<dashboard.Panel> {
  const links = spec.alert === undefined ? [] : [runbookLink(spec.alert)];
  const width = spec.width ?? (spec.kind === 'stat' ? 4 : 12);
  const made = builderOf(spec);
  made
    .title(spec.title)
    .description(spec.description)
    .unit(spec.unit === 'count' || spec.kind === 'heatmap' ? 'short' : spec.unit)
    .datasource(datasource)
    .span(width)
    .height(spec.kind === 'stat' ? 4 : 8)
    .links(links)
    .thresholds(thresholdsOf(spec))
    .noValue(noValueOf(spec));
  if (spec.unit === 'count') made.decimals(0);
  if (spec.kind === 'stat') made.mappings(mappingsOf(spec));
  for (const [name, series] of Object.entries(spec.series ?? {})) {
    if (name.startsWith('/')) made.overrideByRegexp(name, propertiesOf(series));
    else made.overrideByName(name, propertiesOf(series));
  }
  for (const { title, unit, width: columnWidth } of spec.columns ?? []) {
    const properties = propertiesOf(unit === undefined ? {} : { unit });
    if (columnWidth !== undefined) properties.push({ id: 'custom.width', value: columnWidth });
    if (properties.length > 0) made.overrideByName(title, properties);
  }
  for (const [index, query] of spec.queries.entries()) made.withTarget(targetOf(spec, query, index));
  return made;
}

function builderOf(spec: PanelSpec) {
  switch (spec.kind) {
    case 'stat':
      return new stat.PanelBuilder()
        .colorMode(isJudged(spec) ? common.BigValueColorMode.Background : common.BigValueColorMode.Value)
        .graphMode(common.BigValueGraphMode.None)
        .reduceOptions(new common.ReduceDataOptionsBuilder().calcs(['lastNotNull']));
    case 'table':
      return tableOf(spec);
    case 'heatmap':
      // The unit is that of the buckets; in the cells are counts.
      return new heatmap.PanelBuilder()
        .calculate(false)
        .yAxis(new heatmap.YAxisConfigBuilder().unit(spec.unit));
    case 'timeseries':
      return timeseriesOf(spec);
  }
}

function tableOf({ columns = [] }: PanelSpec): table.PanelBuilder {
  const order = Object.fromEntries(columns.map(({ of }, index) => [of, index]));
  const names = Object.fromEntries(columns.map(({ of, title }) => [of, title]));
  const first = columns.find(({ of }) => of.startsWith('Value'));
  const made = new table.PanelBuilder()
    .filterable(true)
    .minWidth(80)
    .withTransformation({ id: 'merge', options: {} })
    .withTransformation({
      id: 'organize',
      options: { excludeByName: { Time: true }, indexByName: order, renameByName: names },
    });
  return first === undefined
    ? made
    : made.sortBy([new common.TableSortByFieldStateBuilder().displayName(first.title).desc(true)]);
}

function timeseriesOf(spec: PanelSpec): timeseries.PanelBuilder {
  const many = spec.many === true;
  const made = new timeseries.PanelBuilder()
    .fillOpacity(spec.stacked === true ? 40 : many ? 0 : 8)
    .legend(
      new common.VizLegendOptionsBuilder()
        .showLegend(true)
        .displayMode(many ? common.LegendDisplayMode.Table : common.LegendDisplayMode.List)
        .placement(many ? common.LegendPlacement.Right : common.LegendPlacement.Bottom)
        .sortBy('Last *')
        .sortDesc(true)
        .calcs(many ? ['lastNotNull'] : ['lastNotNull', 'max']),
    )
    .tooltip(
      new common.VizTooltipOptionsBuilder()
        .mode(common.TooltipDisplayMode.Multi)
        .sort(common.SortOrder.Descending),
    );
  if (spec.log === true)
    made.scaleDistribution(
      new common.ScaleDistributionConfigBuilder().type(common.ScaleDistribution.Log).log(10),
    );
  else made.min(0);
  // Of zeros alone the axis would go up to a hundred.
  if (spec.unit === 'count' || spec.unit === 'short') made.axisSoftMax(1);
  if (spec.unit === 'percentunit') made.axisSoftMax(0.01);
  if (spec.stacked === true)
    made.stacking(new common.StackingConfigBuilder().mode(common.StackingMode.Normal).group('A'));
  if (spec.warn !== undefined || spec.critical !== undefined)
    made.thresholdsStyle(
      new common.GraphThresholdsStyleConfigBuilder().mode(common.GraphThresholdsStyleMode.Line),
    );
  return made;
}

function targetOf({ kind }: PanelSpec, { expr, legend }: Query, index: number): prometheus.DataqueryBuilder {
  const target = new prometheus.DataqueryBuilder()
    .expr(expr)
    .legendFormat(legend)
    .refId(String.fromCharCode(65 + index))
    .datasource(datasource);
  if (kind === 'table') return target.instant().format(prometheus.PromQueryFormat.Table);
  // Of a range the last value would be shown: one of an hour ago as that of now, on green, while nobody scrapes.
  if (kind === 'stat') return target.instant();
  return kind === 'heatmap'
    ? target.range().interval('1m').format(prometheus.PromQueryFormat.Heatmap)
    : target.range();
}

/** A number that nothing is good or bad about has no colour. */
function isJudged({ warn, critical, words }: PanelSpec): boolean {
  return warn !== undefined || critical !== undefined || words !== undefined;
}

function propertiesOf({ color, unit, critical, limit }: SeriesSpec): dashboard.DynamicConfigValue[] {
  const steps = [
    { value: null, color: 'text' },
    { value: critical, color: 'red' },
  ];
  return [
    ...(color === undefined ? [] : [{ id: 'color', value: { mode: 'fixed', fixedColor: color } }]),
    ...(unit === undefined
      ? []
      : [
          { id: 'unit', value: unit },
          { id: 'decimals', value: 1 },
        ]),
    ...(limit === true
      ? [
          { id: 'custom.fillOpacity', value: 0 },
          { id: 'custom.lineStyle', value: { fill: 'dash', dash: [8, 6] } },
        ]
      : []),
    ...(critical === undefined ? [] : [{ id: 'thresholds', value: { mode: 'absolute', steps } }]),
  ];
}

function thresholdsOf(spec: PanelSpec): dashboard.ThresholdsConfigBuilder {
  const { kind, warn, critical, below } = spec;
  const base = kind === 'stat' && !isJudged(spec) ? 'text' : 'green';
  const steps: { value: number | null; color: string }[] = [{ value: null, color: base }];
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

function noValueOf({ kind, noValue }: PanelSpec): string {
  return noValue ?? (kind === 'stat' ? 'no data' : 'No data: is the detector scraped?');
}

/** Nothing is neither good nor bad: Grafana would show it on the colour of the best. */
function mappingsOf(spec: PanelSpec): dashboard.ValueMapping[] {
  const nothing: dashboard.ValueMapping = {
    type: dashboard.MappingType.SpecialValue,
    options: {
      match: dashboard.SpecialValueMatch.NullAndNan,
      result: { text: noValueOf(spec), color: nothingColor, index: 0 },
    },
  };
  if (spec.words === undefined) return [nothing];
  const options = Object.entries(spec.words).map(([value, { text, color }], index) => [
    value,
    { text, color, index: index + 1 },
  ]);
  return [nothing, { type: dashboard.MappingType.ValueToText, options: Object.fromEntries(options) }];
}

function runbookLink(alert: string): dashboard.DashboardLinkBuilder {
  return new dashboard.DashboardLinkBuilder(`Runbook: ${alert}`).url(runbookUrl(alert)).targetBlank(true);
}
