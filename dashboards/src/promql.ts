import {
  type AgentMetricKey,
  agentMetrics,
  type MetricKey,
  metrics,
  prometheusName,
} from '@turnwatch/protocol';

type Suffix = '' | '_bucket' | '_sum' | '_count';

/** A series of the detector with its matchers: panels have them of the dashboard's variables, rules have none. */
export type Series = (key: MetricKey, matchers?: string, suffix?: Suffix) => string;

export const inPanel: Series = (key, matchers = '', suffix = '') =>
  selector(`${prometheusName(metrics[key])}${suffix}`, ['job=~"$job"', 'instance=~"$instance"', matchers]);

export const inRule: Series = (key, matchers = '', suffix = '') =>
  selector(`${prometheusName(metrics[key])}${suffix}`, [matchers]);

/**
 * A series of agents, which are jobs of their own. The Collector and Prometheus put the unit's word to names of the
 * conventions, which have none of their own; a scrape of the JavaScript exporter does not.
 */
export function ofAgents(key: AgentMetricKey, matchers = '', suffix: Suffix = ''): string {
  const spec = agentMetrics[key];
  const name = prometheusName(spec);
  const all = ['job=~"$agents"', matchers];
  return spec.unit === 's' && !name.endsWith('_seconds')
    ? selector('', [`__name__=~"${name}(_seconds)?${suffix}"`, ...all])
    : selector(`${name}${suffix}`, all);
}

/**
 * How much a counter has grown. `increase` alone loses the first count of a series, which comes to be with it: one verdict
 * on a model that never had one would be none.
 */
export function grown(series: string, range: string): string {
  return `((${series} unless ${series} offset ${range}) or increase(${series}[${range}]))`;
}

/** A count that begins with the first case: zero before it, nothing where the detector is not scraped. */
export function orZero(sum: string): string {
  const scraped = `max(${inPanel('build')})`;
  return `((${sum} or 0 * ${scraped}) and ${scraped})`;
}

/** None where nothing was observed: a panel would show it as NaN, on green. */
export function quantile(share: number, buckets: string, range: string, by: readonly string[] = []): string {
  return `histogram_quantile(${share}, sum by (${['le', ...by].join(', ')}) (rate(${buckets}[${range}]))) >= 0`;
}

/** None, not NaN, where there is nothing to have a share of. */
export function shareOf(part: string, whole: string): string {
  return `${part} / ${whole} >= 0`;
}

/** Of what is rare, or counted by processes that do not live long: with the first of each series, as {@link grown}. */
export function rareQuantile(share: number, buckets: string, range: string): string {
  return `histogram_quantile(${share}, ${counts(buckets, range)}) >= 0`;
}

/**
 * A heatmap's rows, with the first of each series. Whole bounds are `1.0` by a scrape of Prometheus 3 and `1` by its OTLP
 * receiver and by older ones: one row, not two.
 */
export function counts(buckets: string, range: string): string {
  return `sum by (le) (label_replace(${grown(buckets, range)}, "le", "$1", "le", "(.+)\\\\.0"))`;
}

/** The Collector's exporters to the detector, as the configurations name them. */
export const toDetector = 'exporter=~".*turnwatch.*"';

/** A series of the Collector's own, in a panel. */
export function ofCollector(name: string, matchers = ''): string {
  return selector(name, ['job=~"$collectors"', matchers]);
}

/** As {@link orZero}, of a Collector: nothing where none is scraped. */
export function orZeroOfCollector(sum: string): string {
  return `(${sum} or 0 * max(${ofCollector('otelcol_exporter_queue_capacity')}))`;
}

/** One bucket; Prometheus 3 writes whole bounds as 10.0, older ones as they were scraped. */
export function upTo(seconds: number): string {
  return Number.isInteger(seconds) ? `le=~"${seconds}(\\\\.0)?"` : `le="${seconds}"`;
}

function selector(name: string, matchers: readonly string[]): string {
  const all = matchers.filter((matcher) => matcher !== '').join(', ');
  return all === '' ? name : `${name}{${all}}`;
}
