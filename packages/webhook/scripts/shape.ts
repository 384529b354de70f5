/** The part of JSON Schema that the event schemas use. Anything else stops the generator: it must not guess. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly type?: string | readonly string[];
  readonly const?: string | number | boolean | null;
  readonly enum?: readonly (string | number)[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly description?: string;
}

/** A schema reduced to what a type and a guard need. */
export type Shape =
  | { readonly kind: 'text' | 'number' | 'flag' | 'null' | 'unknown' }
  | { readonly kind: 'const'; readonly value: string | number | boolean }
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'list'; readonly of: Shape }
  | { readonly kind: 'either'; readonly shapes: readonly Shape[] }
  | { readonly kind: 'object'; readonly fields: readonly Field[] };

export interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly shape: Shape;
  readonly description?: string;
}

/** @throws Error naming the path of what it does not know */
export function shapeOf(schema: JsonSchema, path: string, defs: JsonSchema['$defs'] = schema.$defs): Shape {
  if (schema.$ref !== undefined) {
    const target = defs?.[schema.$ref.replace('#/$defs/', '')];
    if (target === undefined) throw new Error(`${path}: unknown $ref ${schema.$ref}`);
    return shapeOf(target, path, defs);
  }
  if (schema.const === null) return { kind: 'null' };
  if (schema.const !== undefined) return { kind: 'const', value: schema.const };
  if (schema.enum !== undefined) return { kind: 'words', words: schema.enum.map(String) };
  const choice = schema.anyOf ?? schema.oneOf;
  if (choice !== undefined) return { kind: 'either', shapes: choice.map((one) => shapeOf(one, path, defs)) };
  if (typeof schema.type === 'object') {
    const shapes = schema.type.map((type) => shapeOf({ ...schema, type }, path, defs));
    return { kind: 'either', shapes };
  }
  switch (schema.type) {
    case 'string':
      return { kind: 'text' };
    case 'number':
    case 'integer':
      return { kind: 'number' };
    case 'boolean':
      return { kind: 'flag' };
    case 'null':
      return { kind: 'null' };
    case 'array':
      return { kind: 'list', of: shapeOf(schema.items ?? {}, `${path}[]`, defs) };
    case 'object':
      return { kind: 'object', fields: fieldsOf(schema, path, defs) };
    case undefined:
      return { kind: 'unknown' };
    default:
      throw new Error(`${path}: unknown type ${schema.type}`);
  }
}

function fieldsOf(schema: JsonSchema, path: string, defs: JsonSchema['$defs']): Field[] {
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    required: schema.required?.includes(name) ?? false,
    shape: shapeOf(property, `${path}.${name}`, defs),
    ...(property.description === undefined ? {} : { description: property.description }),
  }));
}
