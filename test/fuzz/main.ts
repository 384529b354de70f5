import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { argumentsOf, numberOf } from '../script/arguments.ts';
import { exitOnSignals } from '../script/at-exit.ts';
import { endsWithUs } from '../script/ends-with-us.ts';
import { scratchFolder } from '../script/scratch-folder.ts';
import { acceptOldGlibc, buildShim } from './old-glibc.ts';
import { seeds } from './seeds.ts';

const help = `npm run fuzz -- [flags]

Coverage-guided fuzzing of the decoders with jazzer.js (libFuzzer). Ends with exit code 1 at the first input that breaks
what test/fuzz/check.ts says must hold; that input is written to test/fuzz/regressions, where the test suite replays it.

  --minutes N   default 1
  --seed N      default any
  --help
`;

const here = dirname(fileURLToPath(import.meta.url));
const regressions = join(here, 'regressions');
const { values } = argumentsOf('fuzz', help, {
  options: { minutes: { type: 'string', default: '1' }, seed: { type: 'string' } },
});
const seconds = Math.round(numberOf('fuzz', '--minutes', values.minutes, 0.02) * 60);

exitOnSignals();
const [folder, removeFolder] = scratchFolder('turnwatch-fuzz-');
try {
  process.exitCode = await main();
} finally {
  removeFolder();
}

async function main(): Promise<number> {
  const target = await bundle();
  const corpus = join(folder, 'corpus');
  mkdirSync(corpus);
  const all = seeds();
  for (const seed of all)
    writeFileSync(join(corpus, createHash('sha256').update(seed).digest('hex').slice(0, 16)), seed);
  console.log(`${all.length} seeds, ${readdirSync(regressions).length} regressions, ${seconds} s`);
  return run(target, corpus, environment());
}

/** jazzer.js instruments CommonJS as it is loaded. */
async function bundle(): Promise<string> {
  const made = await rolldown({
    input: join(here, 'target.ts'),
    platform: 'node',
    external: [/^node:/, 'protobufjs', 'zod'],
    resolve: { conditionNames: ['@turnwatch/source', 'node', 'import', 'default'] },
  });
  // In the project, so that it finds protobufjs; not in node_modules, which is not instrumented.
  const file = join(here, '.build', 'target.cjs');
  await made.write({ file, format: 'cjs', sourcemap: false });
  await made.close();
  return file;
}

/** With what an older glibc needs, where this one is older than the fuzzer. */
function environment(): NodeJS.ProcessEnv {
  const require = createRequire(import.meta.url);
  const fuzzer = dirname(require.resolve('@jazzer.js/fuzzer/package.json', { paths: [here] }));
  const addon = join(fuzzer, 'prebuilds', `fuzzer-${process.platform}-${process.arch}.node`);
  const load = (more: NodeJS.ProcessEnv = {}) =>
    spawnSync(process.execPath, ['-e', `require(${JSON.stringify(addon)})`], {
      encoding: 'utf8',
      // All symbols at once: else what is missing is found out in the middle of a run.
      env: { ...process.env, LD_BIND_NOW: '1', ...more },
    });
  const first = load();
  if (first.status === 0) return process.env;
  if (!/version `GLIBC|undefined symbol: (__isoc23|_ZSt21ios_base)/.test(first.stderr))
    throw new Error(`jazzer.js cannot be loaded: ${first.stderr}`);
  const preload = { LD_PRELOAD: buildShim(folder) };
  if (load(preload).status !== 0) acceptOldGlibc(addon);
  const second = load(preload);
  if (second.status !== 0) throw new Error(`jazzer.js cannot be loaded: ${second.stderr}`);
  console.log('the glibc of this machine is older than jazzer.js; what it lacks is preloaded');
  return { ...process.env, ...preload };
}

function run(target: string, corpus: string, env: NodeJS.ProcessEnv): Promise<number> {
  const cli = createRequire(import.meta.url).resolve('@jazzer.js/core/dist/cli.js', { paths: [here] });
  const libfuzzer = [
    `-max_total_time=${seconds}`,
    '-max_len=20000',
    '-len_control=20',
    // An input of 20 kB that takes seconds is a finding as well, and so is one that takes a gigabyte.
    '-timeout=5',
    '-rss_limit_mb=1024',
    '-print_final_stats=1',
    `-artifact_prefix=${regressions}/`,
    ...(values.seed === undefined ? [] : [`-seed=${values.seed}`]),
  ];
  const child = spawn(process.execPath, [cli, target, corpus, regressions, '--sync', '--', ...libfuzzer], {
    cwd: here,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  endsWithUs(child);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code === 0 ? 0 : 1));
  });
}
