import { z } from 'zod';

/** What the API description shows in the place of a schema that reads several spellings. */
export const shown: z.core.$ZodRegistry<{ readonly json: z.core.JSONSchema.BaseSchema }> = z.registry();

/** A schema that takes texts of a query and is shown as what they stand for. */
export function shownAs<Schema extends z.ZodType>(
  schema: Schema,
  json: z.core.JSONSchema.BaseSchema,
): Schema {
  shown.add(schema, { json });
  return schema;
}
