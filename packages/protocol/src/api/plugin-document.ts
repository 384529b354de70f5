import { z } from 'zod';

/** How a plugin of the detector stands. */
export interface PluginDocument {
  readonly id: string;
  /** As the configuration names it. */
  readonly plugin: string;
  readonly kind: 'mapper' | 'probe' | 'sink' | 'store';
  /** In a thread of its own. */
  readonly isolated: boolean;
  /**
   * `idle`: not called yet. `failing`: its last call failed. `paused`: it failed on everything and is left alone for a
   * while. `hanging`: a call has not come back.
   */
  readonly state: 'idle' | 'ok' | 'failing' | 'paused' | 'hanging' | 'stopped';
  readonly calls: number;
  readonly failures: number;
  /** Of the failures, those that took too long. */
  readonly timeouts: number;
  /** Of the failures, errors that the plugin caught nowhere. */
  readonly uncaught: number;
  /** How often its thread was started anew. */
  readonly restarts: number;
  readonly lastError: { readonly message: string; readonly at: string } | null;
  /** Of a mapper. */
  readonly precision?: 'fine' | 'coarse' | 'terminal-only';
  readonly exporterDelayMs?: number;
  /** Of a probe. */
  readonly engine?: string;
}

export interface PluginList {
  readonly plugins: readonly PluginDocument[];
}

const count = z.int().min(0);

export const pluginDocument: z.ZodType<PluginDocument> = z.object({
  id: z.string(),
  plugin: z.string(),
  kind: z.enum(['mapper', 'probe', 'sink', 'store']),
  isolated: z.boolean(),
  state: z.enum(['idle', 'ok', 'failing', 'paused', 'hanging', 'stopped']),
  calls: count,
  failures: count,
  timeouts: count,
  uncaught: count,
  restarts: count,
  lastError: z.object({ message: z.string(), at: z.iso.datetime() }).nullable(),
  precision: z.enum(['fine', 'coarse', 'terminal-only']).exactOptional(),
  exporterDelayMs: z.number().min(0).exactOptional(),
  engine: z.string().exactOptional(),
});

export const pluginList: z.ZodType<PluginList> = z.object({ plugins: z.array(pluginDocument) });
