import { dashboards } from '../grafana/all.ts';
import type { PanelSpec } from '../grafana/panel.ts';

const values: Readonly<Record<string, string>> = {
  // Long enough for a machine that is busy with other tests.
  $__rate_interval: '5m',
  $job: 'turnwatch',
  $instance: '.+',
  $agents: 'agents',
  $provider: '.*',
  $model: '.*',
};

/** As Grafana asks it with everything selected. @param other values than those of tests */
export function filledIn(expr: string, other: Readonly<Record<string, string>> = {}): string {
  return expr.replace(/\$(__)?\w+/g, (name) => {
    const value = other[name] ?? values[name];
    if (value === undefined) throw new Error(`the variable ${name} has no value in the test`);
    return value;
  });
}

export interface PanelQuery {
  readonly where: string;
  readonly panel: PanelSpec;
  readonly expr: string;
}

export function panelQueries(): PanelQuery[] {
  return dashboards.flatMap(({ title, rows }) =>
    rows.flatMap(({ panels }) =>
      panels.flatMap((panel) =>
        panel.queries.map(({ expr, legend }) => ({
          where: `${title} / ${panel.title} / ${legend}`,
          panel,
          expr: filledIn(expr),
        })),
      ),
    ),
  );
}
