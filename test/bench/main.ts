import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { benchCore, smokeCore, usualCore } from './core-bench.ts';
import { benchDetector, smokeDetector, usualDetector } from './detector/detector-bench.ts';
import {
  benchInstrumentation,
  smokeInstrumentation,
  usualInstrumentation,
} from './instrumentation/instrumentation-bench.ts';
import { type Report, textOf } from './measurement.ts';
import type { Meter } from './meter.ts';
import { withSection } from './page.ts';
import { benchStore, smokeStore, usualStore } from './store-bench.ts';

// npm run bench -- NAME [--json] [--write] [--smoke]

const benches: Readonly<Record<string, (meter: Meter, isSmoke: boolean) => Report | Promise<Report>>> = {
  core: (meter, isSmoke) => ({ measurements: benchCore(isSmoke ? smokeCore : usualCore, meter), notes: [] }),
  detector: (_, isSmoke) => benchDetector(isSmoke ? smokeDetector : usualDetector),
  instrumentation: (_, isSmoke) =>
    benchInstrumentation(isSmoke ? smokeInstrumentation : usualInstrumentation),
  store: (meter, isSmoke) => benchStore(isSmoke ? smokeStore : usualStore, meter),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Prints JSON. */
    json: { type: 'boolean', default: false },
    /** Puts the table into docs/benchmarks.md. */
    write: { type: 'boolean', default: false },
    /** Tiny: whether it runs at all. Its numbers say nothing. */
    smoke: { type: 'boolean', default: false },
  },
});
const [name = ''] = positionals;
const bench = benches[name];
const { gc } = globalThis;
if (bench === undefined || gc === undefined) {
  const why =
    bench === undefined ? `there is no benchmark "${name}"` : 'node must be started with --expose-gc';
  process.stderr.write(
    `bench: ${why}. npm run bench -- ${Object.keys(benches).join('|')} [--json] [--write] [--smoke]\n`,
  );
  process.exit(2);
}
const machine = `Node ${process.versions.node}, ${platform()} ${arch()}, ${cpus().length} x ${cpus()[0]?.model.trim() ?? 'unknown'}.`;
const report = await bench(
  {
    nowMs: () => performance.now(),
    heapBytes: () => process.memoryUsage().heapUsed,
    collect: () => void gc(),
  },
  values.smoke,
);
if (values.json) process.stdout.write(`${JSON.stringify({ bench: name, machine, ...report }, null, 2)}\n`);
else process.stdout.write(`${textOf(report)}\n`);
if (values.write) {
  const path = fileURLToPath(new URL('../../docs/benchmarks.md', import.meta.url));
  const page = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  writeFileSync(path, withSection(page, name, machine, textOf(report)));
}
