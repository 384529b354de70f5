import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { InstrumentType } from '@opentelemetry/sdk-metrics';

type Collected = Awaited<ReturnType<PrometheusExporter['collect']>>;
type Attributes = Readonly<Record<string, unknown>>;

/** Label sets of a gauge that the SDK may remember, some 300 bytes each. How many are shown at a time its callback bounds. */
const mostRemembered = 200_000;

/**
 * The SDK keeps what was observed of a label set once, and exports it for ever: turns that recovered would stay stale, and
 * their alert would never end. Here a scrape has what its own callbacks observed and nothing else.
 */
export class ScrapeExporter extends PrometheusExporter {
  /** By the name of a gauge: the label sets of the last observation. */
  readonly #observed = new Map<string, Set<string>>();

  constructor() {
    // Embedded: the detector's own listener serves the scrape. target_info would tell this process's command line.
    super({ preventServerStart: true, withoutTargetInfo: true });
  }

  /** Of a gauge all that were ever observed count, also those that are over: by the SDK's 2,000 a new one would soon not show. */
  override selectCardinalityLimit(type: InstrumentType): number {
    return type === InstrumentType.OBSERVABLE_GAUGE ? mostRemembered : super.selectCardinalityLimit(type);
  }

  /** An observation of the gauge begins. @returns what is to be called with the labels of each value */
  observing(gauge: string): (labels: Attributes) => void {
    const sets = new Set<string>();
    this.#observed.set(gauge, sets);
    return (labels) => void sets.add(keyOf(labels));
  }

  override async collect(...options: Parameters<PrometheusExporter['collect']>): Promise<Collected> {
    const collected = await super.collect(...options);
    for (const { metrics } of collected.resourceMetrics.scopeMetrics)
      for (const { descriptor, dataPoints } of metrics) {
        const sets = this.#observed.get(descriptor.name);
        if (sets === undefined) continue;
        // In place: the collection is this scrape's own.
        const points: { readonly attributes: Attributes }[] = dataPoints;
        points.splice(0, points.length, ...points.filter(({ attributes }) => sets.has(keyOf(attributes))));
      }
    return collected;
  }
}

function keyOf(labels: Attributes): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}
