import { type Command, command } from '../command.ts';

export const restoreFlags = {
  from: { kind: 'text', value: 'FILE', help: 'what turnwatch backup wrote' },
  config: { kind: 'text', value: 'FILE', help: 'the configuration that names the database' },
  db: { kind: 'text', value: 'FILE', help: 'the database itself, default ./turnwatch.db' },
} as const;

export const restoreCommand: Command = command({
  name: 'restore',
  summary: "put a backup in the place of a stopped detector's database",
  usage: '--from FILE [flags]',
  flags: restoreFlags,
  notes: 'What was there is moved aside, never deleted. The backup stays where it is.',
  load: async () => (await import('./run.ts')).runRestore,
});
