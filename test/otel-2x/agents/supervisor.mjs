// A parent that kills its agent without any warning.
import { spawnSupervised } from '@turnwatch/instrumentation/supervisor';

const child = spawnSupervised(process.execPath, [new URL('lane.mjs', import.meta.url).pathname], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
child.stdout.once('data', () => setTimeout(() => child.kill('SIGKILL'), 1200));
child.on('exit', (_code, signal) => {
  console.log(`${signal} ${Date.now()}`);
  setTimeout(() => process.exit(0), 500);
});
