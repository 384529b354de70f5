import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DetectorConfigInput } from '@turnwatch/detector';
import { parse } from 'yaml';
import { oftenInTests, type PrometheusConfig } from '../../../dashboards/src/testing/running-prometheus.ts';

interface Service {
  readonly volumes?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

const folder = fileURLToPath(new URL('../../../examples/deploy/', import.meta.url));
const { services } = parse(readFileSync(join(folder, 'compose.yaml'), 'utf8')) as {
  readonly services: Readonly<Record<string, Service>>;
};

/** The file of this repository that a service of the compose file has at a path of its own. */
function mounted(service: string, at: string): string {
  const mount = services[service]?.volumes?.find((each) => each.split(':')[1] === at);
  if (mount === undefined) throw new Error(`compose.yaml mounts nothing at ${at} of ${service}`);
  return resolve(folder, mount.split(':')[0] ?? '');
}

/** Addresses of the compose file with those that stand in their place here, both as host:port. */
export type Places = Readonly<Record<string, string>>;

function moved(text: string, places: Places): string {
  return Object.entries(places).reduce((moving, [from, to]) => moving.replaceAll(from, to), text);
}

function movedEnvironment(service: string, places: Places): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(services[service]?.environment ?? {}).map(([name, value]) => [name, moved(value, places)]),
  );
}

/** What `examples/deploy/compose.yaml` runs, from the files that it mounts, at other addresses and a quicker pace. */
export const composed = {
  collector(places: Places): {
    readonly config: string;
    readonly environment: Readonly<Record<string, string>>;
  } {
    return {
      config: mounted('collector', '/etc/otelcol-contrib/config.yaml'),
      environment: { ...movedEnvironment('collector', places), OTELCOL_LISTEN: '127.0.0.1' },
    };
  },

  /** Its thresholds are left out: they are too long for a test. */
  detector(places: Places): DetectorConfigInput {
    const file = mounted('detector', '/etc/turnwatch/turnwatch.yaml');
    const { detector } = parse(moved(readFileSync(file, 'utf8'), places)) as {
      readonly detector: DetectorConfigInput;
    };
    const { policy: _, listen, ...rest } = detector;
    const { port: _port, ...more } = listen ?? {};
    return { ...rest, listen: more };
  },

  /** Without the Alertmanager, which nobody runs here. */
  prometheus(places: Places): PrometheusConfig {
    const file = mounted('prometheus', '/etc/prometheus/prometheus.yml');
    const { alerting: _, ...config } = parse(
      moved(readFileSync(file, 'utf8'), places),
    ) as PrometheusConfig & {
      readonly alerting: object;
    };
    const rules = (config.rule_files ?? []).map((name) => mounted('prometheus', `/etc/prometheus/${name}`));
    return { ...config, global: { ...config.global, ...oftenInTests }, rule_files: rules };
  },

  demoAgent(places: Places): {
    readonly script: string;
    readonly environment: Readonly<Record<string, string>>;
  } {
    const script = services['demo-agent']?.entrypoint?.at(-1) ?? '';
    return {
      script: mounted('demo-agent', script),
      environment: movedEnvironment('demo-agent', places),
    };
  },
} as const;
