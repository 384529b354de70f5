// Builds every package through turbo: `npm run build`. With --quiet nothing is printed unless the build fails, and then
// on stderr, so that `npm run demo -- --json` keeps stdout for the demo alone. Other arguments go to turbo.
import { spawnSync } from 'node:child_process';
import { preflight, root } from './preflight.mjs';

preflight();
const quiet = process.argv.includes('--quiet');
const args = process.argv.slice(2).filter((arg) => arg !== '--quiet');
const { status, error, stdout, stderr } = spawnSync(
  process.execPath,
  ['node_modules/turbo/bin/turbo', 'run', 'build', '--ui=stream', '--output-logs=errors-only', ...args],
  {
    cwd: root,
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', TURBO_NO_UPDATE_NOTIFIER: '1', DO_NOT_TRACK: '1' },
    stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
  },
);
if (error) {
  console.error(`turnwatch: turbo could not be started: ${error.message}`);
  process.exit(1);
}
if (quiet && status !== 0) process.stderr.write(Buffer.concat([stdout, stderr]));
process.exit(status ?? 1);
