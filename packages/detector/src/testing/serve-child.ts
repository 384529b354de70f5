import { writeSync } from 'node:fs';
import { loadConfig } from '../config/load.ts';
import { serve } from '../serve.ts';

// A detector in a process of its own, for tests that kill it. Argument: path of the configuration file.
// BLOCK_MS: its first verdict blocks the event loop for so long.
const [file] = process.argv.slice(2);
let blockMs = Number(process.env.BLOCK_MS ?? 0);
try {
  const read = () => loadConfig({ ...(file === undefined ? {} : { file }), environment: process.env });
  const { url, stopped } = await serve(read().config, {
    read,
    onEvent: () => {
      if (blockMs === 0) return;
      writeSync(1, 'BLOCKED\n');
      const untilMs = Date.now() + blockMs;
      blockMs = 0;
      while (Date.now() < untilMs);
    },
  });
  console.log(`READY ${url}`);
  await stopped;
  console.log('STOPPED');
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
