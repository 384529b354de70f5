import { backupStore } from '@turnwatch/detector';
import type { Run } from '../command.ts';
import { UsageError } from '../usage-error.ts';
import type { backupFlags } from './command.ts';
import { databaseOf } from './database-of.ts';

/** Copies the database. */
export const runBackup: Run<typeof backupFlags> = async (flags, _operands, output) => {
  if (flags.out === undefined) throw new UsageError('backup needs --out FILE');
  const { file, bytes, turns, schema } = backupStore(databaseOf(flags), flags.out, Date.now());
  output.out(`${file}: ${turns} turns, ${(bytes / 1e6).toFixed(1)} MB, schema ${schema}, checked\n`);
  return 0;
};
