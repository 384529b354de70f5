import {
  type ConfigSources,
  type DetectorConfigInput,
  detectorLog,
  type LoadedConfig,
  type LogFormat,
  type LogLevel,
  loadConfig,
  loadDetector,
  type StoreConfig,
  serve,
} from '@turnwatch/detector';
import type { Run } from '../command.ts';
import type { Flags } from '../flags.ts';
import { UsageError } from '../usage-error.ts';
import type { serveFlags } from './command.ts';

type ServeFlags = Flags<typeof serveFlags>;

/** Runs the detector until a signal stops it. */
export const runServe: Run<typeof serveFlags> = async (flags, _operands, output) => {
  const sources: ConfigSources = {
    ...(flags.config === undefined ? {} : { file: flags.config }),
    environment: process.env,
    flags: overrides(flags),
  };
  const { config, warnings, plugins } = await loadDetector(sources);
  for (const warning of warnings) output.err(`turnwatch serve: ${warning}\n`);
  // Stdout is for the answer to "where is it", so that a script can read that; the log goes the other way.
  const logger = detectorLog(config.log, 2);
  const replaceCorruptStore = flags['replace-corrupt-store'] === true;
  const read = (): LoadedConfig => loadConfig(sources);
  const { url, stopped } = await serve(config, { logger, plugins, read, replaceCorruptStore });
  const tellable = config.endpoints.length + plugins.ofKind('sink').length;
  output.out(
    [
      '',
      `  turnwatch is up. Store: ${storeText(config.store)}. Endpoints to tell: ${tellable}.`,
      '',
      `  watch     ${url}/  in a browser`,
      `  turns     ${url}/v1/turns`,
      `  health    ${url}/healthz`,
      `  metrics   ${url}/metrics`,
      '',
      '  Point an agent at it (OTLP over HTTP):',
      '',
      ...agentLines(url, config.tokens.length > 0),
      '',
      '  where agent.js begins with',
      '',
      "    import { setup } from '@turnwatch/instrumentation/setup';",
      '    await setup();',
      '',
      ...(tellable > 0
        ? []
        : ['  Nobody is told yet: name an endpoint in a file, see turnwatch serve --help.', '']),
      '',
    ].join('\n'),
  );
  await stopped;
  return 0;
};

/** With tokens, by the variable whose endpoint gets the token; OpenTelemetry's may be anybody's. */
function agentLines(url: string, hasTokens: boolean): readonly string[] {
  if (!hasTokens) return [`    OTEL_EXPORTER_OTLP_ENDPOINT=${url} node agent.js`];
  return [
    `    TURNWATCH_ENDPOINT=${url} TURNWATCH_API_TOKEN=… node agent.js`,
    '',
    '  with a token of detector.tokens that has the scope ingest,',
  ];
}

function storeText(store: StoreConfig): string {
  if (store === 'memory') return 'memory: gone when it stops';
  return 'plugin' in store ? `the plugin ${store.plugin}` : store.file;
}

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
