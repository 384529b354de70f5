import { restoreStore } from '@turnwatch/detector';
import { databaseOf } from '../backup/database-of.ts';
import type { Run } from '../command.ts';
import { UsageError } from '../usage-error.ts';
import type { restoreFlags } from './command.ts';

/** Puts a backup in place. */
export const runRestore: Run<typeof restoreFlags> = async (flags, _operands, output) => {
  if (flags.from === undefined) throw new UsageError('restore needs --from FILE');
  const file = databaseOf(flags);
  const { aside } = restoreStore(flags.from, file, Date.now());
  const before = aside === undefined ? '' : ` What was there is now ${aside}.`;
  output.out(`${file} is the backup.${before} Start the detector: ${serveLine(flags)}\n`);
  return 0;
};

/** With what was said here: without it, `serve` would open another database. */
function serveLine({ config, db }: { readonly config?: string; readonly db?: string }): string {
  return [
    'turnwatch serve',
    ...(config === undefined ? [] : [`--config ${quoted(config)}`]),
    ...(db === undefined ? [] : [`--db ${quoted(db)}`]),
  ].join(' ');
}

/** As a POSIX shell reads it. */
function quoted(text: string): string {
  return /^[\w./:@+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
