import { z } from 'zod';

/** An operator's order that stands. */
export interface OrderDocument {
  readonly at: string;
  /** The id of the token that gave it; `anybody` where there are no tokens. */
  readonly by: string;
  readonly why: string | null;
}

export const orderDocument: z.ZodObject<{
  at: z.ZodISODateTime;
  by: z.ZodString;
  why: z.ZodNullable<z.ZodString>;
}> = z.object({ at: z.iso.datetime(), by: z.string(), why: z.string().nullable() });
