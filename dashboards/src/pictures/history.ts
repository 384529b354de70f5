import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { program } from '../testing/programs.ts';
import { oftenInTests, RunningPrometheus } from '../testing/running-prometheus.ts';

export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** A Prometheus that has always been there: the scrapes of a file, and what the rules would have recorded of them. */
export async function prometheusWith(
  scrapes: string,
  folder: string,
  rulesFile: string,
  span: Span,
): Promise<RunningPrometheus> {
  const data = join(folder, 'data');
  promtool('tsdb', 'create-blocks-from', 'openmetrics', '--quiet', scrapes, data);
  const options = {
    config: { global: oftenInTests, rule_files: [rulesFile], scrape_configs: [] },
    data,
  };
  const first = await RunningPrometheus.start(options);
  const [start, end] = [span.startMs, span.endMs].map((ms) => String(ms / 1000));
  promtool(
    'tsdb',
    'create-blocks-from',
    'rules',
    `--start=${start}`,
    `--end=${end}`,
    '--eval-interval=15s',
    `--url=${first.url}`,
    `--output-dir=${data}`,
    rulesFile,
  );
  await first.end();
  return RunningPrometheus.start(options);
}

function promtool(...words: readonly string[]): void {
  const { status, stderr, stdout } = spawnSync(program('promtool'), words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`promtool ${words.slice(0, 3).join(' ')}: ${stderr}${stdout}`);
}
