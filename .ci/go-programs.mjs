// Builds the programs of others that the tests run and that no package manager has everywhere: the OpenTelemetry Collector
// (test/collector/otelcol) and Prometheus 3 (test/collector/prometheus, for its OTLP receiver), both with Go.
// `npm run collector:build` builds both, `npm run collector:build -- otelcol` the one. What they are made of is pinned by
// go.sum, so a binary is kept under node_modules/.cache, named after a hash of its sources, and built once: some minutes.
// Without Go it says what is skipped; where CI=true that is a failure. Plain JavaScript: it runs on the host's own Node.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = join(root, 'test/collector');
const cache = join(root, 'node_modules/.cache/turnwatch');

const programs = {
  otelcol: { package: '.', tags: '', what: 'the OpenTelemetry Collector' },
  // Without its discovery of services in clouds, which is most of it.
  prometheus: {
    package: 'github.com/prometheus/prometheus/cmd/prometheus',
    tags: 'remove_all_sd',
    what: 'Prometheus',
  },
};

/** Where the binary of a program is or will be. */
export function binaryOf(name) {
  const folder = join(sources, name);
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  for (const file of readdirSync(folder).sort())
    hash.update(`\n${file}\n`).update(readFileSync(join(folder, file)));
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return join(cache, `${name}-${hash.digest('hex').slice(0, 16)}${suffix}`);
}

function build(name, binary) {
  mkdirSync(cache, { recursive: true });
  // Built beside its place and moved: a build that is broken off leaves no half of a program.
  const half = `${binary}.${process.pid}`;
  const { package: path, tags } = programs[name];
  // One package at a time: the build is to leave the machine to others.
  const { status } = spawnSync(
    'go',
    ['build', '-p=1', '-buildvcs=false', '-trimpath', '-ldflags=-s -w', `-tags=${tags}`, '-o', half, path],
    {
      cwd: join(sources, name),
      env: { ...process.env, CGO_ENABLED: '0' },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  if (status !== 0) {
    rmSync(half, { force: true });
    console.error(`turnwatch: go build failed in test/collector/${name}, see above`);
    return false;
  }
  renameSync(half, binary);
  for (const other of readdirSync(cache))
    if (other.startsWith(`${name}-`) && other !== basename(binary))
      rmSync(join(cache, other), { force: true });
  return true;
}

function main(asked) {
  if (asked.includes('--help') || asked.includes('-h')) {
    console.log(`npm run collector:build -- [${Object.keys(programs).join('|')}]...

Builds what the tests run, once and with Go, and prints where each is: ${Object.values(programs)
      .map(({ what }) => what)
      .join(', ')}.`);
    return 0;
  }
  const names = asked.length === 0 ? Object.keys(programs) : asked;
  const unknown = names.find((name) => !Object.hasOwn(programs, name));
  if (unknown !== undefined) {
    console.error(`turnwatch: there is no program "${unknown}": ${Object.keys(programs).join(', ')}`);
    return 2;
  }
  const missing = names.filter((name) => !existsSync(binaryOf(name)));
  if (missing.length > 0 && spawnSync('go', ['version'], { stdio: 'ignore' }).status !== 0) {
    console.error(
      `turnwatch: no go in the PATH: the tests with ${missing.map((name) => programs[name].what).join(' and ')} are skipped. Install Go 1.26 or newer from https://go.dev/dl/`,
    );
    return process.env.CI === 'true' ? 1 : 0;
  }
  for (const name of missing) {
    console.error(`turnwatch: building ${programs[name].what} for the tests (once; some minutes)`);
    if (!build(name, binaryOf(name))) return 1;
  }
  for (const name of names) console.log(binaryOf(name));
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exit(main(process.argv.slice(2)));
