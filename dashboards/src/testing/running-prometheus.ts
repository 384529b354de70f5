import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { program } from './programs.ts';

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** As Prometheus sends them: seconds since the epoch, and numbers as text. */
export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value?: readonly [number, string];
  readonly values?: readonly (readonly [number, string])[];
}

interface Answer {
  readonly status: string;
  readonly error?: string;
  readonly data: {
    readonly resultType: string;
    readonly result: readonly Series[];
  };
}

export interface RuleState {
  readonly name: string;
  readonly health: string;
  readonly lastError?: string;
  readonly state?: string;
  /** The zero of time before the first. */
  readonly lastEvaluation: string;
}

/** As much of Prometheus' configuration as is looked at here. */
export interface PrometheusConfig {
  readonly global?: Readonly<Record<string, string>>;
  readonly rule_files?: readonly string[];
  readonly scrape_configs: readonly {
    readonly job_name: string;
    readonly static_configs: readonly { readonly targets: readonly string[] }[];
  }[];
}

export interface PrometheusOptions {
  readonly config: PrometheusConfig;
  /** Default: `program('prometheus')`. */
  readonly command?: string;
  readonly args?: readonly string[];
  /** A folder with what it already has; it outlives the end. Default: one of its own. */
  readonly data?: string;
}

/** Often enough for a test. */
export const oftenInTests = {
  scrape_interval: '1s',
  scrape_timeout: '1s',
  evaluation_interval: '500ms',
} as const;

/** A real Prometheus in a folder of its own. */
export class RunningPrometheus {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #targets: number;

  private constructor(url: string, targets: number, child: ChildProcess, folder: string) {
    this.#targets = targets;
    this.url = url;
    this.#child = child;
    this.#folder = folder;
  }

  static async start({ config, command, data, args = [] }: PrometheusOptions): Promise<RunningPrometheus> {
    const folder = mkdtempSync(join(tmpdir(), 'turnwatch-prometheus-'));
    const file = join(folder, 'prometheus.yaml');
    writeFileSync(file, stringify(config));
    const address = `127.0.0.1:${await freePort()}`;
    const child = spawn(
      command ?? program('prometheus'),
      [
        `--config.file=${file}`,
        `--storage.tsdb.path=${data ?? join(folder, 'data')}`,
        `--web.listen-address=${address}`,
        '--log.level=error',
        // Written scrapes do not tell when a series has ended, as real ones do: it has when the next one lacks it.
        ...(data === undefined ? [] : ['--query.lookback-delta=20s']),
        ...args,
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    const targets = config.scrape_configs.flatMap(({ static_configs }) =>
      static_configs.flatMap((each) => each.targets),
    );
    const running = new RunningPrometheus(`http://${address}`, targets.length, child, folder);
    await running.until(async () => (await fetch(`${running.url}/-/ready`)).ok, 'it is ready');
    return running;
  }

  /** @throws what Prometheus says against the query */
  async query(expr: string): Promise<readonly Sample[]> {
    const found = await this.#ask('query', { query: expr });
    return found.map(({ metric, value }) => ({ labels: metric, value: Number(value?.[1]) }));
  }

  /** As it was at `atMs` since the epoch. */
  seriesAt(expr: string, atMs: number): Promise<readonly Series[]> {
    return this.#ask('query', { query: expr, time: String(atMs / 1000) });
  }

  range(expr: string, fromMs: number, toMs: number, stepMs: number): Promise<readonly Series[]> {
    const [start, end, step] = [fromMs, toMs, stepMs].map((ms) => String(ms / 1000));
    return this.#ask('query_range', { query: expr, start: start ?? '', end: end ?? '', step: step ?? '' });
  }

  async #ask(what: string, of: Readonly<Record<string, string>>): Promise<readonly Series[]> {
    const response = await fetch(`${this.url}/api/v1/${what}`, {
      method: 'POST',
      body: new URLSearchParams(of),
    });
    const { status, error, data } = (await response.json()) as Answer;
    if (status !== 'success') throw new Error(`${error}: ${of.query}`);
    return data.result;
  }

  async rules(): Promise<readonly RuleState[]> {
    const response = await fetch(`${this.url}/api/v1/rules`);
    const { data } = (await response.json()) as { data: { groups: { rules: RuleState[] }[] } };
    return data.groups.flatMap(({ rules }) => rules);
  }

  /** Asks again until it is so; the test's own time-out is the limit. */
  async until(is: () => Promise<boolean>, what: string): Promise<void> {
    for (;;) {
      if (this.#child.exitCode !== null) throw new Error(`Prometheus is gone before ${what}`);
      try {
        if (await is()) return;
      } catch (error) {
        // Not listening yet.
        if (!(error instanceof TypeError)) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Until a scrape of every job that began after this call has been stored. */
  async scraped(): Promise<void> {
    const from = Date.now() / 1000;
    await this.until(async () => {
      const fresh = await this.query(`timestamp(up) > ${from} and up == 1`);
      return fresh.length === this.#targets;
    }, 'a scrape');
  }

  /** Until every rule has been evaluated anew, those that use recorded series after these. */
  async evaluated(): Promise<void> {
    for (let round = 0; round < 2; round++) {
      const from = Date.now();
      await this.until(
        async () => (await this.rules()).every(({ lastEvaluation }) => Date.parse(lastEvaluation) > from),
        'the rules are evaluated',
      );
    }
  }

  /** Values of a label among the series that are there now, as `label_values` of a dashboard's variable asks for them. */
  async labelValues(label: string, selector: string): Promise<readonly string[]> {
    const url = `${this.url}/api/v1/label/${label}/values?${new URLSearchParams({ 'match[]': selector })}`;
    const { status, error, data } = (await (await fetch(url)).json()) as {
      readonly status: string;
      readonly error?: string;
      readonly data: readonly string[];
    };
    if (status !== 'success') throw new Error(`${error}: ${selector}`);
    return data;
  }

  async end(): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await gone;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
