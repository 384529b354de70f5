import { parser } from '@prometheus-io/lezer-promql';
import { filledIn } from '../testing/panel-query.ts';

// The rules of grafana/dashboard-linter, by their names there, over the JSON that is committed; and, by names of our own, what
// pictures of the panels once showed to be amiss.

interface Target {
  readonly expr?: string;
  readonly instant?: boolean;
  readonly legendFormat?: string;
  readonly datasource?: { readonly uid?: string };
}

interface Panel {
  readonly type: string;
  readonly title?: string;
  readonly description?: string;
  readonly datasource?: { readonly uid?: string };
  readonly targets?: readonly Target[];
  readonly panels?: readonly Panel[];
  readonly fieldConfig?: { readonly defaults?: { readonly unit?: string; readonly noValue?: string } };
  readonly options?: { readonly legend?: { readonly showLegend?: boolean } };
  readonly transformations?: readonly { readonly options?: Organized }[];
}

interface Organized {
  readonly excludeByName?: Readonly<Record<string, boolean>>;
  readonly renameByName?: Readonly<Record<string, string>>;
}

interface Variable {
  readonly name: string;
  readonly type: string;
  readonly query?: unknown;
  readonly label?: string;
  readonly multi?: boolean;
  readonly allValue?: string;
  readonly refresh?: number;
  readonly datasource?: { readonly uid?: string };
}

export interface Json {
  readonly editable?: boolean;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly Variable[] };
}

/** What is not as the rules want it; empty when all is well. */
export function lintFaults(json: Json): string[] {
  const panels = json.panels
    .flatMap((panel) => [panel, ...(panel.panels ?? [])])
    .filter(({ type }) => type !== 'row' && type !== 'text');
  return [
    ...(json.editable === false ? [] : ['uneditable-dashboard']),
    ...templateFaults(json.templating.list),
    ...panels.flatMap((panel) => panelFaults(panel).map((fault) => `${panel.title}: ${fault}`)),
  ];
}

function templateFaults(variables: readonly Variable[]): string[] {
  const faults: string[] = [];
  const byName = new Map(variables.map((variable) => [variable.name, variable]));
  if (byName.get('datasource')?.type !== 'datasource') faults.push('template-datasource');
  for (const name of ['job', 'instance']) {
    const found = byName.get(name);
    if (
      found?.type !== 'query' ||
      found.multi !== true ||
      found.allValue !== '.+' ||
      found.label === undefined
    )
      faults.push(`template-${name}`);
  }
  for (const { name, type, query, refresh, datasource } of variables) {
    if (type !== 'query') continue;
    if (datasource?.uid !== '$datasource') faults.push(`template-datasource: ${name}`);
    if (refresh !== 2) faults.push(`template-on-time-change-reload: ${name}`);
    const selector = /^label_values\((.+), \w+\)$/.exec(String(query))?.[1];
    if (selector === undefined || syntaxErrors(filledIn(selector)) > 0)
      faults.push(`template-label-promql: ${name}`);
  }
  return faults;
}

function panelFaults(panel: Panel): string[] {
  const { title, description, datasource, targets = [], fieldConfig } = panel;
  const faults: string[] = looksFaults(panel);
  if (datasource?.uid !== '$datasource') faults.push('panel-datasource');
  if ((title ?? '') === '' || (description ?? '') === '') faults.push('panel-title-description');
  if ((fieldConfig?.defaults?.unit ?? '') === '') faults.push('panel-units');
  if (targets.length === 0) faults.push('panel-no-targets');
  for (const { expr = '', datasource: own } of targets) {
    if (own?.uid !== '$datasource') faults.push('panel-datasource: of a target');
    faults.push(...targetFaults(expr));
  }
  return faults;
}

/** What is right for a program and wrong for whoever looks. */
function looksFaults({ type, targets = [], fieldConfig, options, transformations = [] }: Panel): string[] {
  const faults: string[] = [];
  if ((fieldConfig?.defaults?.noValue ?? '') === '') faults.push('panel-no-value');
  if (type === 'timeseries' && options?.legend?.showLegend !== true) faults.push('panel-legend');
  if (type === 'stat' && targets.some(({ instant }) => instant !== true)) faults.push('stat-instant');
  if (type === 'table') {
    const excluded = transformations.some(({ options: of }) => of?.excludeByName?.Time === true);
    const named = transformations.flatMap(({ options: of }) => Object.keys(of?.renameByName ?? {}));
    const values = targets.map((_, index) =>
      targets.length === 1 ? 'Value' : `Value #${String.fromCharCode(65 + index)}`,
    );
    if (!excluded) faults.push('table-time');
    for (const value of values) if (!named.includes(value)) faults.push(`table-columns: ${value}`);
  } else for (const { legendFormat = '' } of targets) if (legendFormat === '') faults.push('target-legend');
  for (const { expr = '' } of targets)
    if (/histogram_quantile\(| \/ /.test(expr) && !/ >= 0\b/.test(expr)) faults.push(`target-nan: ${expr}`);
  return faults;
}

function targetFaults(expr: string): string[] {
  const faults: string[] = [];
  if (expr === '' || syntaxErrors(filledIn(expr)) > 0) faults.push(`target-promql: ${expr}`);
  for (const { text, name } of selectors(filledIn(expr))) {
    // Recorded series have their own labels, agents are jobs of their own: each is held to what it has.
    if (!/job=~"(turnwatch|agents|collector)"/.test(text)) faults.push(`target-job: ${text}`);
    if (name.startsWith('turnwatch_') && /job=~"turnwatch"/.test(text) && !text.includes('instance=~".+"'))
      faults.push(`target-instance: ${text}`);
  }
  // What grew in a span that the title names has that span.
  for (const range of expr.match(/\[[^\]]+\]/g) ?? [])
    if (!/^\[(\$__rate_interval|5m|10m|1h|1d)\]$/.test(range)) faults.push(`target-rate-interval: ${range}`);
  for (const { text, ranged, offset } of selectors(filledIn(expr)))
    if (/^turnwatch_\w+_total\{/.test(text) && !ranged && !offset) faults.push(`target-counter-agg: ${text}`);
  return faults;
}

function syntaxErrors(expr: string): number {
  let errors = 0;
  parser.parse(expr).iterate({
    enter: (node) => {
      if (node.type.isError) errors++;
    },
  });
  return errors;
}

interface Selector {
  readonly text: string;
  readonly name: string;
  readonly ranged: boolean;
  /** Of the form that keeps the first count: `x unless x offset 5m`. */
  readonly offset: boolean;
}

function selectors(expr: string): Selector[] {
  const found: Selector[] = [];
  parser.parse(expr).iterate({
    enter: (node) => {
      if (node.name !== 'VectorSelector') return;
      const text = expr.slice(node.from, node.to);
      const parent = node.node.parent?.name ?? '';
      const rest = expr.slice(node.to);
      found.push({
        text,
        name: /^\w*/.exec(text)?.[0] ?? '',
        ranged: parent === 'MatrixSelector',
        offset: rest.startsWith(` unless ${text} offset `) || rest.startsWith(' offset '),
      });
    },
  });
  return found;
}
