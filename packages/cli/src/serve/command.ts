import { type Command, command } from '../command.ts';

export const serveFlags = {
  config: { kind: 'text', value: 'FILE', help: 'YAML or JSON file; without it everything has its default' },
  host: { kind: 'text', value: 'HOST', help: 'where to listen, default 127.0.0.1' },
  port: {
    kind: 'number',
    value: 'PORT',
    min: 0,
    max: 65_535,
    help: 'default 4318, OTLP over HTTP; 0: any free one',
  },
  'public-url': { kind: 'text', value: 'URL', help: 'how others reach it, for the links in events' },
  'allow-remote': {
    kind: 'switch',
    help: 'listen beyond this host without tokens: only where the network itself is trusted',
  },
  store: {
    kind: 'text',
    value: 'KIND',
    oneOf: ['sqlite', 'memory'],
    help: 'sqlite (default), or memory: nothing outlives the process',
  },
  db: { kind: 'text', value: 'FILE', help: 'the SQLite database, default ./turnwatch.db' },
  'replace-corrupt-store': {
    kind: 'switch',
    help: 'move a damaged database aside and begin with an empty one; what it held is lost to this detector',
  },
  source: { kind: 'text', value: 'NAME', help: 'names this detector in its events, default local' },
  'log-level': {
    kind: 'text',
    value: 'LEVEL',
    oneOf: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    help: 'of the log on stderr, default info',
  },
  'log-format': {
    kind: 'text',
    value: 'FORMAT',
    oneOf: ['auto', 'json', 'pretty'],
    help: 'auto (default): for people on a terminal, JSON lines elsewhere',
  },
} as const;

export const serveCommand: Command = command({
  name: 'serve',
  unread: 'works-on',
  summary: 'run the detector',
  usage: '[flags]',
  flags: serveFlags,
  notes: [
    'SIGTERM stops it, SIGHUP reads the configuration again; turnwatch check shows what it would read.',
    'It works without any configuration. Flags win over TURNWATCH_* variables, these over the file.',
    'Who is told about stopped turns stands in the file:',
    '',
    '  detector:',
    '    endpoints:',
    '      - { id: planner, url: "http://127.0.0.1:3000/turnwatch", secretEnv: TURNWATCH_WEBHOOK_SECRET }',
  ].join('\n'),
  load: async () => (await import('./run.ts')).runServe,
});
