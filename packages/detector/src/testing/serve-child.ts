import { loadConfig } from '../config/load.ts';
import { serve } from '../serve.ts';

// A detector in a process of its own, for tests that kill it. Argument: path of the configuration file.
const [file] = process.argv.slice(2);
try {
  const { config } = loadConfig({ ...(file === undefined ? {} : { file }), environment: process.env });
  const { url, stopped } = await serve(config);
  console.log(`READY ${url}`);
  await stopped;
  console.log('STOPPED');
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
