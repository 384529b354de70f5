import { loadConfig } from '@turnwatch/detector';
import { UsageError } from '../usage-error.ts';

/** The database that `turnwatch serve` would open with the same flags and variables. */
export function databaseOf({ config, db }: { readonly config?: string; readonly db?: string }): string {
  if (db !== undefined) return db;
  const { store } = loadConfig({
    ...(config === undefined ? {} : { file: config }),
    environment: process.env,
  }).config;
  if (typeof store === 'object' && 'file' in store && typeof store.file === 'string') return store.file;
  throw new UsageError('the configuration says store: memory; there is no database');
}
