import { z } from 'zod';
import { shownAs } from './shown-as.ts';

/** A whole number of a query, which holds texts only. */
export function wholeNumber(
  min: number,
  max: number,
  byDefault: number,
): z.ZodType<number, string | number | undefined> {
  const schema = z
    .union([
      z.int(),
      z
        .string()
        .regex(/^\d{1,6}$/, 'must be a whole number')
        .transform(Number),
    ])
    .pipe(z.int().min(min).max(max))
    .default(byDefault);
  return shownAs(schema, { type: 'integer', minimum: min, maximum: max, default: byDefault });
}
