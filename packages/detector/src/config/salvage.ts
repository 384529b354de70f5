import type { z } from 'zod';
import { canaryRouteSchema } from './canary-schema.ts';
import { endpointSchema } from './endpoint-schema.ts';
import { pluginSchema } from './plugin-schema.ts';
import { type ParsedFile, sections } from './schema.ts';
import { tokenSchema } from './token-schema.ts';

// What can be used of a file that was refused, so that its other mistakes are found in the same go.

/** Values that nothing is wrong with, in the place of those that cannot be read. They are in no configuration that is used. */
interface StandIns {
  readonly values: Readonly<Record<string, unknown>>;
  /** Keys of which one is wanted: a mistake in one is no reason to miss it. The first one has the value above. */
  readonly oneOf?: readonly string[];
}

const address = 'https://stand-in.invalid/';
/** Signs nothing. */
export const standInSecret: string = `whsec_${Buffer.alloc(32).toString('base64')}`;

const everywhere: readonly string[] = ['0.0.0.0/0', '::/0'];
const none: StandIns = { values: {} };
const sectionStandIns: Readonly<Record<string, StandIns>> = {
  deadman: { values: { url: address, allowPrivate: everywhere }, oneOf: ['url', 'urlEnv'] },
  // What may be dialled is not known: no address is complained of.
  webhook: { values: { allowLoopback: true } },
};

interface Entry {
  readonly schema: z.ZodType;
  readonly standIns: (index: number) => StandIns;
}

const entries: Readonly<Record<string, Entry>> = {
  endpoints: {
    schema: endpointSchema,
    standIns: (index) => ({
      values: { id: `stand-in--${index}`, url: address, secret: standInSecret, allowPrivate: everywhere },
      oneOf: ['secret', 'secrets', 'secretEnv'],
    }),
  },
  tokens: {
    schema: tokenSchema,
    standIns: (index) => ({
      values: { id: `stand-in--${index}`, scopes: ['read'], sha256: '0'.repeat(64) },
      oneOf: ['sha256', 'token', 'tokenEnv'],
    }),
  },
  plugins: { schema: pluginSchema, standIns: () => ({ values: { plugin: 'log' } }) },
  'canary.routes': {
    schema: canaryRouteSchema,
    standIns: (index) => ({ values: { path: `stand-in--${index}`, url: address } }),
  },
};

/** What can be used, and what was found wrong only when the first mistakes were out of the way. */
export interface Salvaged {
  readonly file: ParsedFile;
  readonly issues: readonly z.core.$ZodIssue[];
}

/** Each section with what of it can be read. */
export function salvage(input: unknown): Salvaged {
  const given = isMap(input) && isMap(input.detector) ? input.detector : {};
  const issues: z.core.$ZodIssue[] = [];
  const within = (
    path: readonly PropertyKey[],
    schema: z.ZodType,
    value: unknown,
    standIns: StandIns,
  ): unknown => {
    const { data, later } = mended(schema, value, standIns);
    issues.push(...later.map((issue) => ({ ...issue, path: ['detector', ...path, ...issue.path] })));
    return data;
  };
  const listOf = (path: readonly string[], value: unknown): readonly unknown[] => {
    const entry = entries[path.join('.')];
    if (entry === undefined || value === undefined) return [];
    // No list of tokens is another mistake than none of them.
    if (!Array.isArray(value)) return [undefined];
    return value.map((one: unknown, index) =>
      within([...path, index], entry.schema, one, entry.standIns(index)),
    );
  };
  const usable = Object.fromEntries(
    Object.entries(sections).map(([key, schema]): [string, unknown] => {
      const value = given[key];
      if (key in entries) return [key, listOf([key], value)];
      if (key === 'canary')
        return [key, { routes: listOf([key, 'routes'], isMap(value) ? value.routes : []) }];
      const whole = schema.safeParse(value);
      if (whole.success) return [key, whole.data];
      return [key, within([key], schema, value, sectionStandIns[key] ?? none)];
    }),
  );
  return { file: { detector: usable as unknown as ParsedFile['detector'] }, issues };
}

function mended(
  schema: z.ZodType,
  given: unknown,
  standIns: StandIns,
): { readonly data: unknown; readonly later: readonly z.core.$ZodIssue[] } {
  const later: z.core.$ZodIssue[] = [];
  // What is no map at all has been told, and says nothing more.
  const value: Record<string, unknown> | undefined = isMap(given) ? structuredClone(given) : undefined;
  const told = new Set<string>();
  for (let go = 0, changed = true; value !== undefined && changed; go++) {
    const parsed = schema.safeParse(value);
    if (parsed.success) return { data: parsed.data, later };
    const fresh = parsed.error.issues.filter((issue) => !told.has(nameOf(issue)));
    for (const issue of fresh) told.add(nameOf(issue));
    if (go > 0) later.push(...fresh);
    changed = fresh.length > 0;
    for (const issue of fresh) takeOut(issue, value, standIns);
  }
  const rest = schema.safeParse(standIns.oneOf === undefined ? undefined : standIns.values);
  return { data: rest.data, later };
}

const nameOf = ({ path, message }: z.core.$ZodIssue): string => JSON.stringify([path, message]);

function takeOut(issue: z.core.$ZodIssue, value: Record<string, unknown>, standIns: StandIns): void {
  const { values, oneOf = [] } = standIns;
  if (issue.code === 'unrecognized_keys') {
    const owner = issue.path.reduce<unknown>((at, key) => (isMap(at) ? at[String(key)] : undefined), value);
    if (isMap(owner)) for (const key of issue.keys) delete owner[key];
    else dropAt(issue.path, value);
    return;
  }
  // A rule over several keys: which of them it is about, it says.
  const drops = issue.code === 'custom' ? (issue.params?.drops as readonly string[] | undefined) : undefined;
  for (const key of drops ?? issue.path.slice(0, 1).map(String)) {
    if (oneOf.includes(key)) {
      for (const other of oneOf) delete value[other];
      const [main = key] = oneOf;
      value[main] = values[main];
    } else if (key in values) value[key] = values[key];
    else if (drops !== undefined) delete value[key];
    else dropAt(issue.path, value);
  }
}

/** The value there, or what is around it: a list keeps all of its entries or goes, so that none changes its place. */
function dropAt(path: readonly PropertyKey[], value: Record<string, unknown>): void {
  let owner: Record<string, unknown> = value;
  for (const [index, step] of path.entries()) {
    const key = String(step);
    const inner = owner[key];
    const next = path[index + 1];
    if (!isMap(inner) || next === undefined || !(String(next) in inner)) {
      delete owner[key];
      return;
    }
    owner = inner;
  }
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
