import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { scratchFolder } from '../script/scratch-folder.ts';
import { freePorts } from './free-port.ts';
import { pathOf } from './program.ts';
import { RunningProgram } from './running-program.ts';

/** The configurations as people use them. */
export const configs = {
  oneHost: fileURLToPath(new URL('../../collector-config/one-host/collector.yaml', import.meta.url)),
  fleet: fileURLToPath(new URL('../../collector-config/fleet/gateway.yaml', import.meta.url)),
} as const;

export interface CollectorOptions {
  readonly config: string;
  /** Variables that the configuration names. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Laid over the configuration as a second one; ports are laid over always. */
  readonly over?: object;
}

/** The real Collector on a configuration of collector-config/, at ports of its own. */
export class RunningCollector {
  readonly program: RunningProgram;
  /** Takes OTLP over HTTP. */
  readonly url: string;
  /** Takes OTLP over gRPC. */
  readonly grpcUrl: string;
  /** The agents' metrics, for a scrape. */
  readonly metricsUrl: string;
  /** The Collector's own. */
  readonly ownMetricsUrl: string;
  readonly #folder: string;
  readonly #removeFolder: () => void;

  private constructor(
    program: RunningProgram,
    ports: readonly number[],
    [folder, removeFolder]: readonly [string, () => void],
    scheme: string,
  ) {
    this.program = program;
    this.url = `${scheme}://127.0.0.1:${ports[0]}`;
    this.grpcUrl = `${scheme}://127.0.0.1:${ports[1]}`;
    this.metricsUrl = `http://127.0.0.1:${ports[3]}/metrics`;
    this.ownMetricsUrl = `http://127.0.0.1:${ports[4]}/metrics`;
    this.#folder = folder;
    this.#removeFolder = removeFolder;
  }

  static async start(options: CollectorOptions): Promise<RunningCollector> {
    const [folder, removeFolder] = scratchFolder('turnwatch-otelcol-');
    const ports = await freePorts(5);
    const files = [options.config];
    for (const layer of [
      portsLayer(ports, options.config),
      ...(options.over === undefined ? [] : [options.over]),
    ]) {
      const file = join(folder, `layer-${files.length}.yaml`);
      writeFileSync(file, stringify(layer));
      files.push(file);
    }
    const program = await RunningProgram.start({
      command: pathOf('otelcol'),
      args: files.flatMap((file) => ['--config', file]),
      environment: { OTELCOL_LISTEN: '127.0.0.1', OTELCOL_STATE: folder, ...options.environment },
      readyUrl: `http://127.0.0.1:${ports[2]}/`,
    });
    const scheme = options.config === configs.fleet ? 'https' : 'http';
    return new RunningCollector(program, ports, [folder, removeFolder], scheme);
  }

  /** All bytes of the queue's files, as text. */
  onDisk(): string {
    const folder = join(this.#folder, 'turnwatch');
    return readdirSync(folder)
      .map((file) => readFileSync(join(folder, file), 'latin1'))
      .join('\n');
  }

  /** The Collector's own metrics at one instant: each summed over its series that have the given words, 0 where there are none. */
  async own(): Promise<(name: string, ...words: readonly string[]) => number> {
    const lines = (await (await fetch(this.ownMetricsUrl)).text()).split('\n');
    return (name, ...words) =>
      lines
        .filter((line) => line.startsWith(`${name}{`) && words.every((word) => line.includes(word)))
        .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  }

  async end(): Promise<void> {
    await this.program.end();
    this.#removeFolder();
  }
}

function portsLayer([http, grpc, health, metrics, own]: readonly number[], config: string): object {
  const at = (port: number | undefined): { readonly endpoint: string } => ({ endpoint: `127.0.0.1:${port}` });
  return {
    extensions: { health_check: at(health) },
    receivers: { otlp: { protocols: { http: at(http), grpc: at(grpc) } } },
    exporters: { prometheus: at(metrics) },
    service: {
      telemetry: { metrics: { readers: [{ pull: { exporter: { prometheus: ownAt(own, config) } } }] } },
    },
  };
}

/** Lists are replaced, not laid over: the options of the configuration with another port. */
function ownAt(port: number | undefined, config: string): object {
  const { service } = parse(readFileSync(config, 'utf8')) as {
    readonly service: {
      readonly telemetry: {
        readonly metrics: {
          readonly readers: readonly {
            readonly pull: { readonly exporter: { readonly prometheus: object } };
          }[];
        };
      };
    };
  };
  return { ...service.telemetry.metrics.readers[0]?.pull.exporter.prometheus, host: '127.0.0.1', port };
}
