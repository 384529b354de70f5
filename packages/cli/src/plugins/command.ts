import { type Command, command } from '../command.ts';

export const pluginsFlags = {
  config: { kind: 'text', value: 'FILE', help: 'YAML or JSON file whose plugins are checked' },
  json: { kind: 'switch', help: 'one JSON document in the place of the table' },
} as const;

export const pluginsCommand: Command = command({
  name: 'plugins',
  summary: 'list the plugins of a configuration and check them, without starting anything',
  usage: '[flags]',
  flags: pluginsFlags,
  notes: [
    'Loads each plugin, checks its options and secrets, and makes it; it is not started, and nothing listens.',
    'Exit code 1: something in the configuration is wrong; every mistake is told at once.',
  ].join('\n'),
  load: async () => (await import('./run.ts')).runPlugins,
});
