import { z } from 'zod';

/** Of a list that takes no parameters: one that is mistyped, or meant for another route, is refused and not passed over. */
export const noQuery: z.ZodType<Record<string, never>> = z.strictObject({});
