import { loadConfig, serve } from '@turnwatch/detector';

// The detector with real clocks, a real file and real sockets, for tests that kill it. Argument: its configuration file.
const [file = ''] = process.argv.slice(2);
const { config } = loadConfig({ file, environment: {} });
const { url, stopped } = await serve(config);
process.stdout.write(`READY ${url}\n`);
await stopped;
