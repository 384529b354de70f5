// Installs what tests need beside Node, where this machine lets it: root on Debian or Ubuntu. Elsewhere it says what will
// be skipped, and how to have it; the tests themselves skip by name, and fail where CI=true.
// Plain JavaScript: it has to run on the host's own Node.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What tests start, the Debian package that holds it, and the variable that names one elsewhere. */
export const programs = [
  {
    names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
    variable: 'TURNWATCH_CHROMIUM',
    debian: 'chromium',
    what: 'the live page in a real browser',
  },
  {
    names: ['prometheus'],
    variable: 'TURNWATCH_PROMETHEUS',
    debian: 'prometheus',
    what: 'dashboards and rules in a real Prometheus',
  },
  {
    names: ['promtool'],
    variable: 'TURNWATCH_PROMTOOL',
    debian: 'prometheus',
    what: 'alerts by promtool',
  },
  {
    names: ['amtool'],
    variable: 'TURNWATCH_AMTOOL',
    debian: 'prometheus-alertmanager',
    what: 'the routes of alerts by amtool',
  },
];

/** Those that neither their variable nor the PATH has. */
export function missingPrograms(env = process.env, isExecutable = canRun) {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return programs.filter(
    ({ names, variable }) =>
      (env[variable] ?? '') === '' &&
      !names.some((name) => folders.some((folder) => isExecutable(join(folder, name)))),
  );
}

/** What keeps this process from installing packages, or undefined. */
export function whyNotInstall(uid = process.getuid?.(), env = process.env, isExecutable = canRun) {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  if (!folders.some((folder) => isExecutable(join(folder, 'apt-get')))) return 'there is no apt-get';
  return uid === 0 ? undefined : 'only root may install packages';
}

function canRun(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function install(packages) {
  console.error(`turnwatch: installing ${packages.join(', ')} for the tests (once; a minute or so)`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const run = (...args) =>
    spawnSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
  // Lists of packages may be there already, and a mirror that is away for the update need not be for the install.
  run('update', '-qq');
  return run('install', '-y', '-qq', '--no-install-recommends', ...packages);
}

function main() {
  let missing = missingPrograms();
  if (missing.length === 0) return;
  let reason = whyNotInstall();
  if (reason === undefined) {
    if (!install([...new Set(missing.map(({ debian }) => debian))])) reason = 'apt-get failed, see above';
    missing = missingPrograms();
  }
  for (const { debian, what, variable } of missing)
    console.error(
      `turnwatch: no ${debian} (${reason}): the tests of ${what} are skipped. Install it, or name one in ${variable}.`,
    );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
