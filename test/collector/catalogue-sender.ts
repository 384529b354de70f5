import { OTLPMetricExporter as GrpcExporter } from '@opentelemetry/exporter-metrics-otlp-grpc';
import { OTLPMetricExporter as HttpExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AggregationType, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { type MetricSpec, metrics } from '@turnwatch/protocol';

/**
 * Every metric of a catalogue with every label that it may have, sent once by OTLP as an SDK does.
 *
 * @param url of OTLP over HTTP with its path, or of OTLP over gRPC without one
 */
export async function sendCatalogue(url: string, catalogue: readonly MetricSpec[]): Promise<void> {
  const reader = new PeriodicExportingMetricReader({
    exporter: new URL(url).pathname === '/' ? new GrpcExporter({ url }) : new HttpExporter({ url }),
    // Sent by the flush; not by itself in the meantime.
    exportIntervalMillis: 3_600_000,
  });
  const provider = new MeterProvider({
    resource: resourceFromAttributes({ 'service.name': 'catalogue', 'service.instance.id': 'one' }),
    readers: [reader],
    views: catalogue.flatMap(({ name, buckets }) =>
      buckets === undefined
        ? []
        : [
            {
              instrumentName: name,
              aggregation: {
                type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM,
                options: { boundaries: [...buckets] },
              },
            },
          ],
    ),
  });
  const meter = provider.getMeter('turnwatch.test');
  for (const { name, unit, kind, labels, help } of catalogue) {
    const options = { unit, description: help };
    const attributes = Object.fromEntries(labels.map((label) => [label, 'a']));
    if (kind === 'counter') meter.createCounter(name, options).add(1, attributes);
    else if (kind === 'histogram') meter.createHistogram(name, options).record(0.5, attributes);
    else meter.createGauge(name, options).record(1, attributes);
  }
  await provider.forceFlush();
  await provider.shutdown();
}

/** The detector's own. */
export const detectorCatalogue: readonly MetricSpec[] = Object.values(metrics);
