import { dashboards } from '../grafana/all.ts';
import type { PanelSpec } from '../grafana/panel.ts';

/** What stands in the place of a dashboard's variables and of Grafana's own. */
export type Variables = Readonly<Record<string, string>>;

const everything: Variables = {
  // Long enough for a machine that is busy with other tests.
  $__rate_interval: '5m',
  $job: 'turnwatch',
  $instance: '.+',
  $agents: 'agents',
  $collectors: 'collector',
  $provider: '.*',
  $model: '.*',
};

/** As Grafana asks it with everything selected. @param variables other values than those of tests */
export function filledIn(expr: string, variables: Variables = {}): string {
  return expr.replace(/\$(__)?[a-z]\w*/g, (name) => {
    const value = variables[name] ?? everything[name];
    if (value === undefined) throw new Error(`the variable ${name} has no value in the test`);
    return value;
  });
}

export interface PanelQuery {
  readonly where: string;
  /** Dashboard and panel. */
  readonly place: string;
  readonly panel: PanelSpec;
  readonly legend: string;
  readonly expr: string;
}

export function panelQueries(variables: Variables = {}): PanelQuery[] {
  return dashboards.flatMap(({ title, rows }) =>
    rows.flatMap(({ panels }) =>
      panels.flatMap((panel) =>
        panel.queries.map(({ expr, legend }) => ({
          place: `${title} / ${panel.title}`,
          where: `${title} / ${panel.title} / ${legend}`,
          panel,
          legend,
          expr: filledIn(expr, variables),
        })),
      ),
    ),
  );
}
