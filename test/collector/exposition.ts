/** A metric as Prometheus' text format tells of it. */
export interface ExposedMetric {
  readonly type: string;
  /** Where the format tells it. */
  readonly unit: string | undefined;
  /** Of all its series, those left out that say how it came. */
  readonly labels: ReadonlySet<string>;
  /** Trace ids of its exemplars. */
  readonly exemplars: readonly string[];
}

const ofTheWay = /^(le|job|instance|service_name|service_instance_id|otel_scope_.+)$/;

/** Metrics by the name of their series, without what a histogram adds: `_bucket`, `_sum`, `_count`. */
export function readExposition(text: string): ReadonlyMap<string, ExposedMetric> {
  const metrics = new Map<
    string,
    { type: string; unit: string | undefined; labels: Set<string>; exemplars: string[] }
  >();
  const types = new Map<string, string>();
  const units = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, what, of = '', word = ''] = /^# (TYPE|UNIT) (\S+) (\S+)/.exec(line) ?? [];
    if (what === 'TYPE') types.set(of, word);
    if (what === 'UNIT') units.set(of, word);
    const [, series, pairs = '', rest = ''] = /^([a-zA-Z_:][\w:]*)(?:\{(.*?)\})? (.*)$/.exec(line) ?? [];
    if (series === undefined) continue;
    const family = [series, series.replace(/_(bucket|sum|count|created|total)$/, '')].find((name) =>
      types.has(name),
    );
    const type = types.get(family ?? '') ?? 'unknown';
    // OpenMetrics names a counter's family without _total, the older format with it.
    const name = type === 'counter' ? series : (family ?? series);
    if (series.endsWith('_created')) continue;
    const metric = metrics.get(name) ?? {
      type,
      unit: units.get(family ?? ''),
      labels: new Set(),
      exemplars: [],
    };
    metrics.set(name, metric);
    for (const [, label = ''] of pairs.matchAll(/([a-zA-Z_]\w*)="/g))
      if (!ofTheWay.test(label)) metric.labels.add(label);
    const [, trace] = / # \{.*?trace_id="([0-9a-f]+)"/.exec(rest) ?? [];
    if (trace !== undefined) metric.exemplars.push(trace);
  }
  return metrics;
}
