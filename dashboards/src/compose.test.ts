import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../packages/detector/src/config/load.ts';
import { runDetector } from '../../packages/detector/src/testing/running-detector.ts';
import { dashboards } from './grafana/all.ts';
import { dashboardOf } from './grafana/dashboard.ts';
import { program, skips } from './testing/programs.ts';

interface Service {
  readonly image: string;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly entrypoint?: readonly string[];
  readonly healthcheck?: { readonly test?: readonly string[] };
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, 'examples/deploy');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const { services, volumes } = parse(read('examples/deploy/compose.yaml')) as {
  services: Readonly<Record<string, Service>>;
  volumes: Readonly<Record<string, unknown>>;
};
const prometheusConfig = parse(read('examples/deploy/compose/prometheus.yaml')) as {
  rule_files: string[];
  alerting: { alertmanagers: { static_configs: { targets: string[] }[] }[] };
  scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[];
};
const collectorConfig = read('collector-config/one-host/collector.yaml');
const tagOf = (service: string): string => services[service]?.image.split(':').at(-1) ?? '';
const mounts = Object.entries(services).flatMap(([service, { volumes: all = [] }]) =>
  all.map((volume) => {
    const [from = '', to = ''] = volume.split(':');
    return { service, from, to };
  }),
);
const portsOf = (service: string): (string | undefined)[] =>
  (services[service]?.ports ?? []).map((port) => port.split(':').at(-1));

test.each(mounts)('$service: $from is there', ({ from }) => {
  if (from.startsWith('.')) expect(existsSync(resolve(folder, from))).toBe(true);
  else expect(Object.keys(volumes)).toContain(from);
});

test('only this machine reaches what is published', () => {
  for (const { ports = [] } of Object.values(services))
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
});

test('tags are the versions that are tested here', () => {
  const moduleOf = (path: string, name: string): string | undefined =>
    new RegExp(`^\\s*(?:require )?${name.replaceAll('.', '\\.')} v(\\S+)`, 'm').exec(read(path))?.[1];
  const core = moduleOf('test/collector/otelcol/go.mod', 'go.opentelemetry.io/collector/otelcol');
  expect(tagOf('collector')).toBe(core);
  // Prometheus 3.16.0 is the Go module v0.316.0.
  const [, minor] = (
    moduleOf('test/collector/prometheus/go.mod', 'github.com/prometheus/prometheus') ?? ''
  ).split('.');
  expect(tagOf('prometheus')).toBe(`v3.${Number(minor) - 300}.0`);
  const [first] = dashboards;
  if (first === undefined) throw new Error('no dashboard');
  // Grafana 12 is the first that has this schema of its own.
  expect(dashboardOf(first).schemaVersion).toBe(42);
  expect(Number(tagOf('grafana').split('.')[0])).toBeGreaterThanOrEqual(12);
  const { build } = services.detector ?? {};
  expect(existsSync(resolve(folder, build?.context ?? '', build?.dockerfile ?? ''))).toBe(true);
  expect(services['demo-agent']?.image).toBe(services.detector?.image);
});

test('ports, names and paths fit together', () => {
  const { config } = loadConfig({
    file: join(folder, 'compose/turnwatch.yaml'),
    // As in the image.
    environment: { TURNWATCH_LISTEN_HOST: '0.0.0.0', TURNWATCH_STORE: '/var/lib/turnwatch/turnwatch.db' },
  });
  const { port } = config.listen;
  expect(portsOf('detector')).toEqual([String(port)]);
  expect(services.detector?.healthcheck?.test?.join(' ')).toContain(`127.0.0.1:${port}/healthz`);
  expect(services.collector?.environment?.TURNWATCH_DETECTOR_URL).toBe(`http://detector:${port}`);
  expect(config.listen.publicUrl).toBe(`http://localhost:${port}`);
  const [route] = config.canary.routes;
  expect(collectorConfig).toContain(`\${env:TURNWATCH_PATH:-${route?.path}}`);
  expect(new URL(route?.url ?? '').host).toBe('collector:4318');
  for (const variable of ['ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'])
    expect(services['demo-agent']?.environment?.[variable]).toBe('http://collector:4318');
  for (const collectorPort of ['4317', '4318', '8889', '8888'])
    expect(collectorConfig).toContain(collectorPort);
  expect(portsOf('collector')).toEqual(['4317', '4318']);
  const targets = prometheusConfig.scrape_configs.flatMap(({ static_configs }) =>
    static_configs.flatMap((each) => each.targets),
  );
  expect(targets).toEqual([`detector:${port}`, 'collector:8889', 'collector:8888']);
  expect(prometheusConfig.scrape_configs[0]?.job_name).toBe('turnwatch');
  expect(prometheusConfig.alerting.alertmanagers[0]?.static_configs[0]?.targets).toEqual([
    'alertmanager:9093',
  ]);
  const [dashboardsAt] = mounts.filter(({ from }) => from.endsWith('dashboards/grafana'));
  expect(read('examples/deploy/compose/grafana/dashboards.yaml')).toContain(`path: ${dashboardsAt?.to} `);
  expect(services.grafana?.environment?.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH).toBe(
    `${dashboardsAt?.to}/turns.json`,
  );
  expect(read('examples/deploy/compose/grafana/datasource.yaml')).toContain('http://prometheus:9090');
});

describe.skipIf(skips('promtool'))('promtool', () => {
  test('takes the configuration of Prometheus with its rules', () => {
    const scratch = mkdtempSync(join(tmpdir(), 'turnwatch-compose-'));
    try {
      for (const { service, from, to } of mounts)
        if (service === 'prometheus' && from.startsWith('.'))
          cpSync(resolve(folder, from), join(scratch, to.slice(dirname(to).length + 1)));
      const args = ['check', 'config', join(scratch, 'prometheus.yml')];
      expect(execFileSync(program('promtool'), args, { encoding: 'utf8' })).toContain('rules found');
    } finally {
      rmSync(scratch, { recursive: true });
    }
  });
});

test('the demo agent is heard of by a detector', async () => {
  const running = await runDetector();
  try {
    const agent = spawn(
      process.execPath,
      ['--conditions=@turnwatch/source', join(folder, 'compose/demo-agent.mjs')],
      { env: { PATH: process.env.PATH, ENDPOINT: running.url, ROUNDS: '2', PACE_MS: '5' }, stdio: 'inherit' },
    );
    const [code] = await once(agent, 'exit');
    expect(code).toBe(0);
    const { body } = await running.json('/v1/turns');
    expect(body.turns).toMatchObject([
      { state: 'ended', outcome: 'completed' },
      { state: 'ended', outcome: 'completed' },
    ]);
  } finally {
    await running.detector.stop();
  }
});
