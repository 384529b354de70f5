import {
  type DetectorConfigInput,
  detectorLog,
  type LoadedConfig,
  type LogFormat,
  type LogLevel,
  loadConfig,
  serve,
} from '@turnwatch/detector';
import type { Run } from '../command.ts';
import type { Flags } from '../flags.ts';
import { UsageError } from '../usage-error.ts';
import type { serveFlags } from './command.ts';

type ServeFlags = Flags<typeof serveFlags>;

/** Runs the detector until a signal stops it. */
export const runServe: Run<typeof serveFlags> = async (flags, _operands, output) => {
  const read = (): LoadedConfig =>
    loadConfig({
      ...(flags.config === undefined ? {} : { file: flags.config }),
      environment: process.env,
      flags: overrides(flags),
    });
  const { config, warnings } = read();
  for (const warning of warnings) output.err(`turnwatch serve: ${warning}\n`);
  // Stdout is for the answer to "where is it", so that a script can read that; the log goes the other way.
  const logger = detectorLog(config.log, 2);
  const replaceCorruptStore = flags['replace-corrupt-store'] === true;
  const { url, stopped } = await serve(config, { logger, read, replaceCorruptStore });
  const store = config.store === 'memory' ? 'memory: gone when it stops' : config.store.file;
  output.out(
    [
      '',
      `  turnwatch is up. Store: ${store}. Endpoints to tell: ${config.endpoints.length}.`,
      '',
      `  watch     ${url}/  in a browser`,
      `  turns     ${url}/v1/turns`,
      `  health    ${url}/healthz`,
      `  metrics   ${url}/metrics`,
      '',
      '  Point an agent at it (OTLP over HTTP):',
      '',
      `    OTEL_EXPORTER_OTLP_ENDPOINT=${url} node agent.js`,
      '',
      '  where agent.js begins with',
      '',
      "    import { setup } from '@turnwatch/instrumentation/setup';",
      '    await setup();',
      '',
      ...(config.endpoints.length > 0
        ? []
        : ['  Nobody is told yet: name an endpoint in a file, see turnwatch serve --help.', '']),
      '',
    ].join('\n'),
  );
  await stopped;
  return 0;
};

/** What the flags say, in the shape of the file. */
export function overrides(flags: ServeFlags): DetectorConfigInput {
  if (flags.store === 'memory' && flags.db !== undefined)
    throw new UsageError('--store memory has no database; leave out one of --store and --db');
  const listen = {
    ...(flags.host === undefined ? {} : { host: flags.host }),
    ...(flags.port === undefined ? {} : { port: flags.port }),
    ...(flags['public-url'] === undefined ? {} : { publicUrl: flags['public-url'] }),
    ...(flags['allow-remote'] === undefined ? {} : { allowRemote: flags['allow-remote'] }),
  };
  const store = flags.store === 'memory' ? 'memory' : storeFile(flags);
  return {
    ...(Object.keys(listen).length === 0 ? {} : { listen }),
    ...(store === undefined ? {} : { store }),
    ...(flags.source === undefined ? {} : { source: flags.source }),
    ...(flags['log-level'] === undefined && flags['log-format'] === undefined ? {} : { log: logOf(flags) }),
  };
}

function logOf({
  'log-level': level,
  'log-format': format,
}: ServeFlags): NonNullable<DetectorConfigInput['log']> {
  // oneOf of the flags has seen to it that nothing else comes here.
  return {
    ...(level === undefined ? {} : { level: level as LogLevel }),
    ...(format === undefined ? {} : { format: format as LogFormat }),
  };
}

function storeFile({ store, db }: ServeFlags): { file: string } | undefined {
  if (db !== undefined) return { file: db };
  return store === 'sqlite' ? { file: './turnwatch.db' } : undefined;
}
