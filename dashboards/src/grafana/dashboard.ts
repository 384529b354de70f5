import { repository } from '../links.ts';
import { grown, inPanel as of } from '../promql.ts';
import { datasource, type PanelSpec, panelOf } from './panel.ts';
import { dashboard } from './sdk.ts';

export interface RowSpec {
  readonly title: string;
  /** Details: not queried until somebody opens it. */
  readonly collapsed?: boolean;
  readonly panels: readonly PanelSpec[];
}

export interface DashboardSpec {
  /** The file's name; the uid is `turnwatch-` and this. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly rows: readonly RowSpec[];
}

/** As Grafana's provisioning takes it. */
export function dashboardOf(spec: DashboardSpec): dashboard.Dashboard {
  const built = new dashboard.DashboardBuilder(`Turnwatch / ${spec.title}`)
    .uid(`turnwatch-${spec.id}`)
    .description(spec.description)
    .tags(['turnwatch'])
    .time({ from: 'now-1h', to: 'now' })
    .refresh('10s')
    .timezone('browser')
    .tooltip(dashboard.DashboardCursorSync.Crosshair)
    .readonly()
    .variables(variables())
    .annotations(annotations())
    .links(links());
  for (const { title, collapsed = false, panels } of spec.rows) {
    const row = new dashboard.RowBuilder(title).collapsed(collapsed);
    if (collapsed) for (const panel of panels) row.withPanel(panelOf(panel));
    built.withRow(row);
    if (!collapsed) for (const panel of panels) built.withPanel(panelOf(panel));
  }
  return built.build();
}

function variables() {
  const query = (name: string, label: string, from: string) =>
    new dashboard.QueryVariableBuilder(name)
      .label(label)
      .query(from)
      .datasource(datasource)
      .refresh(dashboard.VariableRefresh.OnTimeRangeChanged)
      .sort(dashboard.VariableSort.AlphabeticalAsc)
      .multi(true)
      .includeAll(true)
      .allValue('.*')
      .current({ text: 'All', value: '$__all' });
  const ofDetector = 'turnwatch_build';
  // Also those on which no turn was ever stale.
  const ofTurns = '{__name__=~"turnwatch_learned_samples|turnwatch_turn_verdicts_total", job=~"$job"}';
  return [
    new dashboard.DatasourceVariableBuilder('datasource').label('Data source').type('prometheus'),
    query('job', 'Detector', `label_values(${ofDetector}, job)`).allValue('.+'),
    query('instance', 'Instance', `label_values(${ofDetector}{job=~"$job"}, instance)`).allValue('.+'),
    query('provider', 'Provider', `label_values(${ofTurns}, provider)`),
    query('model', 'Model', `label_values(${ofTurns}, model)`),
    query('agents', 'Agents', 'label_values(turnwatch_gap_largest_seconds_count, job)').allValue('.+'),
    query('collectors', 'Collectors', 'label_values(otelcol_exporter_queue_capacity, job)').allValue('.+'),
    new dashboard.TextBoxVariableBuilder('live').label('Live page').defaultValue('http://127.0.0.1:4318'),
    new dashboard.TextBoxVariableBuilder('traces').label('Traces').defaultValue('/explore'),
  ];
}

function annotations() {
  const on = (name: string, color: string, expr: string, title: string) =>
    new dashboard.AnnotationQueryBuilder()
      .name(name)
      .datasource(datasource)
      .enable(true)
      .iconColor(color)
      .expr(expr)
      .titleFormat(title)
      .step('15s');
  return [
    on('Verdicts', 'red', `sum by (reason) (${grown(of('verdicts'), '1m')}) > 0`, 'Stale: {{reason}}'),
    on('Expired', 'purple', `sum(${grown(of('expired'), '1m')}) > 0`, 'Expired'),
    on('Hosts asleep', 'blue', `sum(${grown(of('suspensions'), '1m')}) > 0`, 'A host goes to sleep'),
    on('Detector stood still', 'blue', `sum(${grown(of('paused'), '1m')}) > 0`, 'The detector stood still'),
    on('Restarts', 'orange', `changes(${of('startTime')}[1m]) > 0`, 'The detector started'),
  ];
}

function links() {
  const to = (title: string, url: string) =>
    new dashboard.DashboardLinkBuilder(title)
      .type(dashboard.DashboardLinkType.Link)
      .url(url)
      .targetBlank(true);
  return [
    new dashboard.DashboardLinkBuilder('Turnwatch')
      .type(dashboard.DashboardLinkType.Dashboards)
      .tags(['turnwatch'])
      .includeVars(true)
      .keepTime(true),
    to('Live page', '$live/'),
    to('Traces', '$traces'),
    to('Runbooks', `${repository}/tree/main/docs/runbooks`),
  ];
}
