import { z } from 'zod';

/** Answer of `GET /healthz`; 503 where `status` is `failing`. */
export interface HealthDocument {
  readonly status: 'ok' | 'failing';
  readonly tick: { readonly ok: boolean; readonly ageMs: number; readonly lastError?: string };
  readonly store: {
    readonly ok: boolean;
    readonly place: string;
    readonly failingSince?: string;
    readonly error?: string;
  };
  /** Whether the detector's own probe comes back through each path. */
  readonly paths: Readonly<Record<string, { readonly ok: boolean; readonly canaryAgeMs: number | null }>>;
}

/** Answer of `GET /readyz`; 503 where it is not ready. */
export interface ReadyDocument {
  readonly status: 'ready' | 'not ready';
}

export const healthDocument: z.ZodType<HealthDocument> = z.object({
  status: z.enum(['ok', 'failing']),
  tick: z.object({
    ok: z.boolean().describe('False: nothing is judged'),
    ageMs: z.int().nonnegative(),
    lastError: z.string().exactOptional(),
  }),
  store: z.object({
    ok: z.boolean(),
    place: z.string().describe('A path, or "memory"'),
    failingSince: z.iso.datetime().exactOptional(),
    error: z.string().exactOptional(),
  }),
  paths: z.record(
    z.string(),
    z.object({ ok: z.boolean(), canaryAgeMs: z.number().nonnegative().nullable() }),
  ),
});

export const readyDocument: z.ZodType<ReadyDocument> = z.object({ status: z.enum(['ready', 'not ready']) });
