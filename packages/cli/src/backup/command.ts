import { type Command, command } from '../command.ts';

export const backupFlags = {
  out: { kind: 'text', value: 'FILE', help: 'where the copy goes; it must not exist yet' },
  config: { kind: 'text', value: 'FILE', help: 'the configuration that names the database' },
  db: { kind: 'text', value: 'FILE', help: 'the database itself, default ./turnwatch.db' },
} as const;

export const backupCommand: Command = command({
  name: 'backup',
  summary: "copy the detector's database, also while it is running",
  usage: '--out FILE [flags]',
  flags: backupFlags,
  notes: [
    'The copy is complete as of one moment, checked, and one file. It holds the secrets of registered endpoints: keep it',
    'as you keep those. On the same host, as the user of the detector. Back: turnwatch restore --from FILE.',
  ].join('\n'),
  load: async () => (await import('./run.ts')).runBackup,
});
