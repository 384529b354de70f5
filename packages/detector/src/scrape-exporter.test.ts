import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { expect, test } from 'vitest';
import { ScrapeExporter } from './scrape-exporter.ts';

test('a gauge has what its last observation had, whatever was seen of it in the months before', async () => {
  const exporter = new ScrapeExporter();
  const provider = new MeterProvider({ readers: [exporter] });
  let models: readonly string[] = [];
  provider
    .getMeter('test')
    .createObservableGauge('stale')
    .addCallback((result) => {
      const seen = exporter.observing('stale');
      for (const model of models) {
        seen({ model });
        result.observe(1, { model });
      }
    });
  const scrape = async (): Promise<unknown[]> => {
    const { resourceMetrics } = await exporter.collect();
    return resourceMetrics.scopeMetrics.flatMap(({ metrics }) =>
      metrics.flatMap(({ dataPoints }) => dataPoints.map(({ attributes }) => attributes.model)),
    );
  };
  models = Array.from({ length: 3000 }, (_, n) => `before-${n}`);
  expect(await scrape()).toHaveLength(3000);
  models = ['now', 'before-1'];
  expect((await scrape()).sort()).toEqual(['before-1', 'now']);
  models = [];
  expect(await scrape()).toEqual([]);
  await provider.shutdown();
});
