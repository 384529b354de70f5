import type { z } from 'zod';
import { nearest } from './nearest.ts';
import type { ConfigProblem } from './problem.ts';
import { keysAt } from './schema.ts';

/** Names the source of what stands at a path. */
export type Blame = (path: readonly PropertyKey[]) => string;

/** What zod found, in words that say where and how to mend it. `input` is what it looked at. */
export function problemsOf(issue: z.core.$ZodIssue, input: unknown, blame: Blame): ConfigProblem[] {
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(issue.path) ?? [];
    return issue.keys.map((key) => {
      const path = [...issue.path, key];
      const meant = nearest(key, known);
      const mend = meant === undefined ? `known here: ${known.join(', ')}` : `did you mean ${meant}?`;
      return { source: blame(path), path: dotted(path), message: `unknown key; ${mend}` };
    });
  }
  if (issue.code === 'invalid_union') {
    // A mistyped key inside a map of a union: say that rather than list the alternatives.
    const nearestFirst = issue.errors.toSorted((one, other) => one.length - other.length);
    const typo = nearestFirst.flat().find((inner) => inner.code === 'unrecognized_keys');
    if (typo?.code === 'unrecognized_keys')
      return problemsOf({ ...typo, path: [...issue.path, ...typo.path] }, input, blame);
  }
  const value = issue.path.reduce<unknown>(
    (at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key],
    input,
  );
  const shown = issue.message.startsWith('must ') ? `, not ${show(value, issue.path)}` : '';
  return [{ source: blame(issue.path), path: dotted(issue.path), message: issue.message + shown }];
}

/** A wrong value as it stands in the message; never one that may be a secret or hold one. */
function show(value: unknown, path: readonly PropertyKey[]): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'string' && path.some(isHidden)) {
    const [scheme] = /^[a-z][a-z0-9+.-]*:\/\//i.exec(value) ?? [];
    return scheme === undefined ? 'what stands there (not shown, it may be a secret)' : `one with ${scheme}`;
  }
  if (path.some(isHidden) || typeof value === 'object') return typeNameOf(value);
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

function isHidden(key: PropertyKey): boolean {
  return /secret|bearer|url|^token$|^tokenEnv$|^sha256$/i.test(String(key));
}

function typeNameOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (value === null) return 'empty';
  return typeof value === 'object' ? 'a map' : `a ${typeof value}`;
}

/** `detector.endpoints[0].url` */
export function dotted(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${String(key)}`))
    .join('');
}
