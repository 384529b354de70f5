import { z } from 'zod';
import { schemaNames } from './schema-names.ts';
import { shown } from './shown-as.ts';

/** Schemas of one direction, as components of the document and references to them. */
export interface SchemaRefs {
  readonly schemas: Readonly<Record<string, unknown>>;
  /** A reference to the component; the schema itself where it has no name. */
  of(schema: z.ZodType): unknown;
}

const refTo = (id: string): string => `#/components/schemas/${id}`;

/** `output`: what is answered, open to new fields. `input`: what is read. */
export function schemaRefs(io: 'input' | 'output', schemas: Iterable<z.ZodType>): SchemaRefs {
  const named = z.registry<{ id: string }>();
  for (const schema of new Set(schemas)) {
    const id = schemaNames.get(schema);
    if (id !== undefined) named.add(schema, { id });
  }
  if (io === 'output') for (const [schema, id] of schemaNames) if (!isInput(id)) named.add(schema, { id });
  const { schemas: components } = z.toJSONSchema(named, { io, uri: refTo, override });
  const tidy = Object.fromEntries(
    Object.entries(components).map(([id, schema]) => [id, withoutHead(schema)]),
  );
  return {
    schemas: tidy,
    of(schema) {
      const id = schemaNames.get(schema);
      return id === undefined ? jsonSchemaOf(schema, io) : { $ref: refTo(id) };
    },
  };
}

/** One schema by itself, as for the parameters of a query. */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  return withoutHead(z.toJSONSchema(schema, { io, override }));
}

function isInput(id: string): boolean {
  return id.endsWith('Request');
}

function withoutHead(schema: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$schema' && key !== '$id'));
}

/** zod closes what it puts out; fields are only ever added, so a client must take what it does not know. */
function override({
  zodSchema,
  jsonSchema,
}: {
  readonly zodSchema: z.core.$ZodTypes;
  readonly jsonSchema: z.core.JSONSchema.BaseSchema;
}): void {
  const { def } = zodSchema._zod;
  if (def.type === 'object' && def.catchall === undefined) delete jsonSchema.additionalProperties;
  const instead = shown.get(zodSchema);
  if (instead === undefined) return;
  for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
  Object.assign(jsonSchema, instead.json);
}
