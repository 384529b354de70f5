import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { argumentsOf, misused } from '../../../test/script/arguments.ts';
import { dashboards } from '../grafana/all.ts';
import { dashboardOf } from '../grafana/dashboard.ts';
import { rulesFile } from '../testing/live-scene.ts';
import { answered, type Shown } from './asked.ts';
import { bundle, photograph } from './camera.ts';
import { prometheusWith } from './history.ts';
import { SimulatedHours } from './simulated-hours.ts';

const script = 'dashboards:pictures';
const help = `npm run ${script} -- [FOLDER]

Every panel as Grafana draws it, of the last of three simulated hours. Installs Grafana's components once (450 MB).

  FOLDER   of the pictures, default node_modules/.cache/turnwatch/pictures
  --help

TURNWATCH_SCRAPES names a file that keeps the simulated hours for the next time.
`;
const { positionals } = argumentsOf(script, help, { allowPositionals: true });
const [folderOfPictures, ...more] = positionals;
if (more.length > 0) misused(script, `unexpected argument '${more[0]}'`);

const hours = 3;
const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const tool = at('../../pictures');
const out = folderOfPictures ?? at('../../../node_modules/.cache/turnwatch/pictures');

if (!existsSync(join(tool, 'node_modules'))) {
  console.log('Installing Grafana’s components (450 MB)');
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: tool,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error(`npm ci in ${tool} failed`);
}
const folder = mkdtempSync(join(tmpdir(), 'turnwatch-pictures-'));
try {
  mkdirSync(out, { recursive: true });
  console.log(`Playing ${hours} hours`);
  const scrapes = process.env.TURNWATCH_SCRAPES ?? join(folder, 'scrapes.om');
  const simulated = new SimulatedHours(endOf(scrapes), hours);
  if (!existsSync(scrapes)) await simulated.play(scrapes);
  const prometheus = await prometheusWith(scrapes, folder, rulesFile, simulated);
  const span = { startMs: simulated.endMs - 3_600_000, endMs: simulated.endMs };
  const shown: Record<string, Shown> = {};
  try {
    for (const spec of dashboards) {
      const json = JSON.parse(JSON.stringify(dashboardOf(spec)));
      shown[spec.id] = await answered(json, prometheus, span);
      // Minutes after the last scrape nothing may look well.
      const gone = { startMs: span.startMs + 360_000, endMs: span.endMs + 360_000 };
      shown[`${spec.id}-gone`] = await answered(json, prometheus, gone);
    }
  } finally {
    await prometheus.end();
  }
  console.log('Drawing');
  await bundle(join(tool, 'page'), join(folder, 'page'));
  await photograph(join(folder, 'page'), shown, out);
  console.log(`Look at ${out}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Of scrapes that are there already, the last one's; else now. */
function endOf(file: string): number {
  const everyMs = 15_000;
  if (!existsSync(file)) return Math.floor(Date.now() / everyMs) * everyMs;
  const last = /(\d+)\n# EOF\n$/.exec(readFileSync(file, 'utf8').slice(-500))?.[1];
  if (last === undefined) throw new Error(`${file} has no scrapes`);
  return Number(last) * 1000;
}
