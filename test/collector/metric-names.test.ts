import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { agentMetrics, type MetricSpec, prometheusName } from '@turnwatch/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { detectorCatalogue, sendCatalogue } from './catalogue-sender.ts';
import { type ExposedMetric, readExposition } from './exposition.ts';
import { freePorts } from './free-port.ts';
import { isMissing, pathOf } from './program.ts';
import { RealDetector } from './real-detector.ts';
import { configs, RunningCollector } from './running-collector.ts';
import { RunningProgram } from './running-program.ts';

// One catalogue, three ways: the detector's own scrape, the Collector's Prometheus exporter, Prometheus' OTLP receiver.

const own = (specs: readonly MetricSpec[]): readonly MetricSpec[] =>
  specs.filter(({ name }) => name.startsWith('turnwatch.'));
const catalogue = [...detectorCatalogue, ...Object.values(agentMetrics)];
/** Of the conventions: they have no word of their unit, and are given one by both. */
const foreign = Object.values(agentMetrics).filter(({ name }) => name.startsWith('gen_ai.'));
const label = (name: string): string => name.replaceAll('.', '_');
const unitWord: Readonly<Record<string, string>> = { s: 'seconds', By: 'bytes' };

async function scrape(url: string, accept: string): Promise<ReadonlyMap<string, ExposedMetric>> {
  const response = await fetch(url, { headers: { accept } });
  expect(response.status).toBe(200);
  return readExposition(await response.text());
}
const openMetrics = 'application/openmetrics-text; version=1.0.0';

test('names of the catalogue end in the word of their unit', () => {
  for (const { name, unit } of own(catalogue)) {
    const word = unitWord[unit];
    if (word === undefined) expect(unit, name).toMatch(/^\{.+\}$/);
    else expect(name.endsWith(`_${word}`), `${name} in ${unit}`).toBe(true);
  }
});

test('the scrape of the detector has names, kinds and labels of the catalogue, and no others', async () => {
  const [port = 0] = await freePorts(1);
  const detector = await RealDetector.start(port);
  try {
    await detector.hears('direct');
    const scraped = await scrape(`${detector.url}/metrics`, 'text/plain');
    const known = new Map(detectorCatalogue.map((spec) => [prometheusName(spec), spec]));
    expect([...scraped.keys()].filter((name) => !known.has(name))).toEqual([]);
    expect(scraped.size).toBeGreaterThan(10);
    for (const [name, { type, labels }] of scraped) {
      const spec = known.get(name);
      expect(type, name).toBe(spec?.kind);
      expect(
        [...labels].filter((each) => !spec?.labels.map(label).includes(each)),
        name,
      ).toEqual([]);
    }
  } finally {
    await detector.end();
  }
});

describe.skipIf(isMissing('otelcol'))('the Collector’s Prometheus exporter', { timeout: 60_000 }, () => {
  let collector: RunningCollector;
  beforeAll(async () => {
    collector = await RunningCollector.start({ config: configs.oneHost });
    await sendCatalogue(`${collector.url}/v1/metrics`, catalogue);
  });
  afterAll(() => collector?.end());

  test.each(['text/plain', openMetrics])(
    'gives names, kinds and labels of the catalogue as %s',
    async (accept) => {
      const scraped = await scrape(collector.metricsUrl, accept);
      for (const spec of own(catalogue)) {
        const metric = scraped.get(prometheusName(spec));
        expect(metric, `${prometheusName(spec)} of ${[...scraped.keys()].join(' ')}`).toBeDefined();
        expect(metric?.type, spec.name).toBe(spec.kind);
        expect([...(metric?.labels ?? [])].sort(), spec.name).toEqual(spec.labels.map(label).sort());
      }
      for (const { name } of foreign) expect(scraped.has(`${label(name)}_seconds`), name).toBe(true);
      const expected = new Set([
        ...own(catalogue).map(prometheusName),
        ...foreign.map(({ name }) => `${label(name)}_seconds`),
        'target_info',
      ]);
      expect([...scraped.keys()].filter((name) => !expected.has(name))).toEqual([]);
    },
  );

  test('takes them by gRPC too', async () => {
    const byGrpc: MetricSpec = {
      name: 'turnwatch.by_grpc',
      unit: '{turn}',
      kind: 'counter',
      labels: ['path'],
      help: '-',
    };
    await sendCatalogue(collector.grpcUrl, [byGrpc]);
    expect((await scrape(collector.metricsUrl, openMetrics)).has('turnwatch_by_grpc_total')).toBe(true);
  });

  test('hands on exemplars with their traces', async () => {
    const response = await fetch(`${collector.url}/v1/metrics`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(withExemplar),
    });
    expect(response.status).toBe(200);
    const scraped = await scrape(collector.metricsUrl, openMetrics);
    expect(scraped.get('turnwatch_exemplar_seconds')?.exemplars).toEqual([traceId]);
  });
});

const traceId = '0af7651916cd43dd8448eb211c80319c';
const withExemplar = {
  resourceMetrics: [
    {
      resource: { attributes: [] },
      scopeMetrics: [
        {
          scope: { name: 'a.scope' },
          metrics: [
            {
              name: 'turnwatch.exemplar_seconds',
              unit: 's',
              histogram: {
                aggregationTemporality: 2,
                dataPoints: [
                  {
                    timeUnixNano: '1796064651364000000',
                    count: '1',
                    sum: 0.5,
                    bucketCounts: ['0', '1'],
                    explicitBounds: [0.1],
                    exemplars: [
                      {
                        timeUnixNano: '1796064651364000000',
                        asDouble: 0.5,
                        traceId,
                        spanId: 'b7ad6b7169203331',
                      },
                    ],
                  },
                ],
              },
            },
          ],
        },
      ],
    },
  ],
};

describe.skipIf(isMissing('prometheus'))('the OTLP receiver of Prometheus 3', { timeout: 60_000 }, () => {
  let folder: string;
  let url: string;
  let prometheus: RunningProgram;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'turnwatch-prometheus-'));
    const [port] = await freePorts(1);
    url = `http://127.0.0.1:${port}`;
    const file = join(folder, 'prometheus.yaml');
    writeFileSync(file, '{}');
    prometheus = await RunningProgram.start({
      command: pathOf('prometheus'),
      args: [
        `--config.file=${file}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--web.enable-otlp-receiver',
      ],
      readyUrl: `${url}/-/ready`,
    });
    await sendCatalogue(`${url}/api/v1/otlp/v1/metrics`, catalogue);
  });
  afterAll(async () => {
    await prometheus?.end();
    rmSync(folder, { recursive: true });
  });

  async function series(): Promise<readonly Readonly<Record<string, string>>[]> {
    for (;;) {
      const response = await fetch(`${url}/api/v1/series?match[]={__name__!=""}`);
      const { data } = (await response.json()) as { readonly data: Readonly<Record<string, string>>[] };
      if (data.length > 0) return data;
      await delay(50);
    }
  }

  test('gives names, kinds and labels of the catalogue', async () => {
    const all = await series();
    const labelsOf = (name: string): readonly string[] | undefined => {
      const found = all.find((each) => each.__name__ === name);
      return (
        found && Object.keys(found).filter((each) => !/^(__name__|le|job|instance|otel_scope_.+)$/.test(each))
      );
    };
    const seriesOf = (spec: MetricSpec, name: string): readonly string[] =>
      spec.kind === 'histogram' ? ['bucket', 'sum', 'count'].map((each) => `${name}_${each}`) : [name];
    const expected = new Set(['target_info']);
    for (const spec of catalogue) {
      const isForeign = foreign.includes(spec);
      for (const name of seriesOf(spec, isForeign ? `${label(spec.name)}_seconds` : prometheusName(spec))) {
        expected.add(name);
        expect(labelsOf(name)?.toSorted(), name).toEqual(spec.labels.map(label).sort());
      }
    }
    expect(
      [...new Set(all.map((each) => each.__name__))].filter((name) => !expected.has(name ?? '')),
    ).toEqual([]);
  });
});
