import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform } from 'node:os';
import { fileURLToPath } from 'node:url';
import { argumentsOf, misused } from '../script/arguments.ts';
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

const benches: Readonly<Record<string, (meter: Meter, isSmoke: boolean) => Report | Promise<Report>>> = {
  core: (meter, isSmoke) => ({ measurements: benchCore(isSmoke ? smokeCore : usualCore, meter), notes: [] }),
  detector: (_, isSmoke) => benchDetector(isSmoke ? smokeDetector : usualDetector),
  instrumentation: (_, isSmoke) =>
    benchInstrumentation(isSmoke ? smokeInstrumentation : usualInstrumentation),
  store: (meter, isSmoke) => benchStore(isSmoke ? smokeStore : usualStore, meter),
};

const help = `npm run bench -- NAME [flags]

  NAME      ${Object.keys(benches).join(', ')}
  --json    prints JSON
  --write   puts the table into docs/benchmarks.md
  --smoke   tiny: whether it runs at all. Its numbers say nothing
  --help
`;

const { values, positionals } = argumentsOf('bench', help, {
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    smoke: { type: 'boolean', default: false },
  },
});
const [name = '', ...more] = positionals;
if (more.length > 0) misused('bench', `unexpected argument '${more[0]}'`);
const bench = benches[name];
const { gc } = globalThis;
if (bench === undefined)
  misused('bench', `there is no benchmark "${name}"; there are ${Object.keys(benches).join(', ')}`);
if (gc === undefined) misused('bench', 'node must be started with --expose-gc');
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
