import { definePlugin, type Plugin } from '@turnwatch/plugin';
import { z } from 'zod';
import { MemoryStore } from '../../store/memory-store.ts';
import { SqliteStore } from '../../store/sqlite-store.ts';

/** `store: memory`: nothing outlives the process. */
export const memory: Plugin<'store', undefined> = definePlugin({
  apiVersion: 1,
  kind: 'store',
  name: 'memory',
  create: () => new MemoryStore(),
});

interface SqliteOptions {
  readonly file: string;
}

const optionsSchema: z.ZodType<SqliteOptions> = z.strictObject({ file: z.string().min(1) });

/** `store: {file}`. */
export const sqlite: Plugin<'store', SqliteOptions> = definePlugin({
  apiVersion: 1,
  kind: 'store',
  name: 'sqlite',
  optionsSchema,
  create: ({ file }) => SqliteStore.open(file),
});
