import { type Command, command } from '../command.ts';
import { serveFlags } from '../serve/command.ts';

const ownFlags = {
  json: { kind: 'switch', help: 'a JSON line: {"ok", "problems", "warnings", "values"}' },
} as const;

export const checkFlags: typeof serveFlags & typeof ownFlags = { ...serveFlags, ...ownFlags };

export const checkCommand: Command = command({
  name: 'check',
  summary: 'look at a configuration without starting anything',
  usage: '[--config FILE] [flags of serve]',
  flags: checkFlags,
  notes: [
    'Prints every value with where it comes from: the file, a variable, flags or default. Secrets are looked up and',
    'never printed. Plugins are loaded and made as serve does, and let go of again. Exit code 1 when there is a mistake;',
    'all of them are named at once, those of variables and flags also where the file cannot be read.',
  ].join('\n'),
  load: async () => (await import('./run.ts')).runCheck,
});
