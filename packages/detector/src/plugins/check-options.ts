import type { StandardSchema } from '@turnwatch/plugin';
import { nearest } from '../config/nearest.ts';

/** One mistake in the options; the path begins below `options`. */
export interface OptionProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

export type CheckedOptions =
  | { readonly value: unknown; readonly problems?: undefined }
  | { readonly problems: readonly OptionProblem[] };

/**
 * Options by the plugin's own schema. Most schema libraries drop keys they do not know without a word, which would make
 * a default of a mistyped one: a key that the schema has not even looked at is told as unknown.
 */
export async function checkOptions(
  schema: StandardSchema | undefined,
  given: Readonly<Record<string, unknown>> | undefined,
): Promise<CheckedOptions> {
  const keys = Object.keys(given ?? {});
  if (schema === undefined)
    return keys.length === 0
      ? { value: undefined }
      : { problems: keys.map((key) => ({ path: [key], message: 'unknown option; this plugin takes none' })) };
  const { proxy, target, read } = watched(given ?? {});
  const result = await schema['~standard'].validate(proxy);
  if (result.issues !== undefined)
    return {
      problems: result.issues.map(({ message, path = [] }) => ({
        path: path.map((part) => (typeof part === 'object' ? part.key : part)),
        message,
      })),
    };
  const value: unknown = result.value === proxy ? target : result.value;
  const kept = new Set(typeof value === 'object' && value !== null ? Object.keys(value) : []);
  const unknown = result.value === proxy ? [] : keys.filter((key) => !read.has(key) && !kept.has(key));
  if (unknown.length === 0) return { value };
  return {
    problems: unknown.map((key) => {
      const meant = nearest(
        key,
        [...read].filter((name) => !keys.includes(name)),
      );
      return {
        path: [key],
        message: `unknown option${meant === undefined ? '' : `; did you mean ${meant}?`}`,
      };
    }),
  };
}

/** A copy that remembers which keys somebody has looked at. */
function watched(given: Readonly<Record<string, unknown>>): {
  readonly proxy: Record<string, unknown>;
  readonly target: Record<string, unknown>;
  readonly read: Set<string>;
} {
  const target = structuredClone(given) as Record<string, unknown>;
  const read = new Set<string>();
  const note = (key: PropertyKey): void => void (typeof key === 'string' && read.add(key));
  const proxy = new Proxy(target, {
    get(from, key) {
      note(key);
      return Reflect.get(from, key);
    },
    has(from, key) {
      note(key);
      return Reflect.has(from, key);
    },
  });
  return { proxy, target, read };
}
