import { type JsonSchema, type Shape, shapeOf } from './shape.ts';

const head = `// Generated from the event schemas of @turnwatch/protocol by scripts/generate-events.ts. Do not edit:
// run \`npm run generate -w packages/webhook\`.
//
// Guards look at the structure only. Fields they do not know are let through, and so are new words where a list of words
// is known: fields and reasons are only ever added, and a newer detector must still be able to wake an older parent.

/** What every event has, also of a type that this version does not know. */
export interface WebhookEvent {
  readonly specversion: string;
  readonly id: string;
  readonly source: string;
  readonly type: string;
  /** The turn's id, where the event is about a turn. */
  readonly subject?: string;
  readonly time: string;
  readonly sequence: string;
  readonly data: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number';
}

function isListOf(value: unknown, is: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(is);
}

export function isWebhookEvent(value: unknown): value is WebhookEvent {
  return (
    isFields(value) &&
    [value.specversion, value.id, value.source, value.type, value.time].every(isText) &&
    typeof value.sequence === 'string' && /^\\d+$/.test(value.sequence) &&
    (value.subject === undefined || isText(value.subject)) &&
    value.data !== undefined
  );
}
`;

/** The source text of events.generated.ts, not yet formatted. `schemas` by event type. */
export function renderEvents(schemas: Readonly<Record<string, JsonSchema>>): string {
  const types = Object.keys(schemas).sort();
  const names = new Map<string, string>();
  const parts: string[] = [];
  const render = new Renderer(names, parts);
  const events = types.map((type) => {
    const name = `${pascal(type)}Event`;
    const shape = shapeOf(schemas[type] ?? {}, type);
    if (shape.kind !== 'object') throw new Error(`${type}: an event must be an object`);
    render.declare(name, shape, pascal(type));
    return { type, name, guard: `is${pascal(type)}` };
  });
  const union = `export type KnownEvent =\n${events.map(({ name }) => `  | ${name}`).join('\n')};`;
  const guards = events.map(
    ({ name, guard }) =>
      `export function ${guard}(event: unknown): event is ${name} {\n  return check${name}(event);\n}`,
  );
  const known = [
    `const guards: Readonly<Record<string, (event: unknown) => boolean>> = {`,
    ...events.map(({ type, guard }) => `  '${type}': ${guard},`),
    `};`,
    `/** True when this version knows the type, whatever else the event has. */`,
    `export function hasKnownType(event: WebhookEvent): boolean {\n  return Object.hasOwn(guards, event.type);\n}`,
    `export function isKnownEvent(event: WebhookEvent): event is WebhookEvent & KnownEvent {`,
    `  return hasKnownType(event) && guards[event.type]?.(event) === true;\n}`,
  ];
  const text = [head, ...parts, union, ...guards, known.join('\n')].join('\n\n');
  return text.includes('isFlag(')
    ? text.replace('function isListOf', `${isFlag}\n\nfunction isListOf`)
    : text;
}

const isFlag = `function isFlag(value: unknown): boolean {\n  return typeof value === 'boolean';\n}`;

class Renderer {
  /** Source of a shape -> the name it was declared under: what events share is declared once. */
  readonly #names: Map<string, string>;
  readonly #parts: string[];

  constructor(names: Map<string, string>, parts: string[]) {
    this.#names = names;
    this.#parts = parts;
  }

  declare(name: string, shape: Shape & { kind: 'object' }, owner: string): string {
    const source = JSON.stringify(shape);
    const before = this.#names.get(source);
    if (before !== undefined) return before;
    const unique = [...this.#names.values()].includes(name) ? `${owner}${name}` : name;
    this.#names.set(source, unique);
    const fields: string[] = [];
    const checks: string[] = [];
    for (const field of shape.fields) {
      if (field.description !== undefined)
        fields.push(`  /** ${field.description.replaceAll('*/', '* /')} */`);
      fields.push(
        `  readonly ${field.name}${field.required ? '' : '?'}: ${this.#type(field.shape, field.name, owner)};`,
      );
      const check = this.#check(field.shape, `value.${field.name}`, field.name, owner);
      if (check !== undefined)
        checks.push(field.required ? check : `(value.${field.name} === undefined || ${check})`);
    }
    this.#parts.push(
      `export interface ${unique} {\n${fields.join('\n')}\n}`,
      `function check${unique}(value: unknown): value is ${unique} {\n  return ${['isFields(value)', ...checks].join(' && ')};\n}`,
    );
    return unique;
  }

  #type(shape: Shape, name: string, owner: string): string {
    switch (shape.kind) {
      case 'text':
        return 'string';
      case 'flag':
        return 'boolean';
      case 'const':
        return quote(shape.value);
      case 'words':
        // Open: editors offer the known words, newer ones are legal.
        return `${shape.words.map(quote).join(' | ')} | (string & {})`;
      case 'list':
        return `readonly ${this.#item(shape.of, name, owner)}[]`;
      case 'either':
        return shape.shapes.map((one) => this.#type(one, name, owner)).join(' | ');
      case 'object':
        return this.declare(objectName(name, owner), shape, owner);
      default:
        return shape.kind;
    }
  }

  #item(shape: Shape, name: string, owner: string): string {
    const type = this.#type(shape, itemName(name), owner);
    return / [|&] /.test(type) ? `(${type})` : type;
  }

  /** Undefined: every value will do. */
  #check(shape: Shape, at: string, name: string, owner: string): string | undefined {
    switch (shape.kind) {
      case 'text':
      case 'words':
        return `isText(${at})`;
      case 'number':
        return `isNumber(${at})`;
      case 'flag':
        return `isFlag(${at})`;
      case 'null':
        return `${at} === null`;
      case 'const':
        return `${at} === ${quote(shape.value)}`;
      case 'object':
        return `check${this.declare(objectName(name, owner), shape, owner)}(${at})`;
      case 'list': {
        const item = this.#check(shape.of, 'item', itemName(name), owner) ?? 'true';
        const plain = /^(\w+)\(item\)$/.exec(item)?.[1];
        return `isListOf(${at}, ${plain ?? `(item) => ${item}`})`;
      }
      case 'either': {
        const checks = shape.shapes.map((one) => this.#check(one, at, name, owner));
        return checks.includes(undefined) ? undefined : `(${checks.join(' || ')})`;
      }
      default:
        return undefined;
    }
  }
}

// Field names end in no bracket: the item of the list `pendingToolCalls` becomes `PendingToolCall`.
function itemName(list: string): string {
  return `${list.replace(/s$/, '')}[]`;
}

function objectName(field: string, owner: string): string {
  if (field === 'data') return `${owner}Data`;
  return field.endsWith('[]') ? pascal(field.slice(0, -2)) : `${pascal(field)}Details`;
}

function quote(value: string | number | boolean): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value);
}

function pascal(text: string): string {
  return text.replace(/(^|[._-])(\w)/g, (_all, _separator, letter: string) => letter.toUpperCase());
}
