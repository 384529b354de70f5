import { join, posix } from 'node:path';
import { importsOf } from './source-text.ts';
import { readManifest, readSource, root } from './workspace.ts';

/** What is loaded with an entry point: our own files, and what they take from elsewhere. */
export interface Closure {
  /** From the repository's root. */
  readonly files: readonly string[];
  /** `node:os`, `express`. */
  readonly foreign: readonly string[];
}

const scope = '@turnwatch/';
const condition = '@turnwatch/source';

/** Follows every import that is still there at run time, into other packages of the workspace too. */
export function closureOf(entry: string): Closure {
  const files = new Set<string>();
  const foreign = new Set<string>();
  const visit = (path: string): void => {
    if (files.has(path)) return;
    files.add(path);
    for (const { specifier, typeOnly } of importsOf(readSource(join(root, path)).text)) {
      if (typeOnly) continue;
      if (specifier.startsWith('.')) visit(posix.join(posix.dirname(path), specifier));
      else if (specifier.startsWith(scope)) visit(sourceOf(specifier));
      else foreign.add(specifier);
    }
  };
  visit(entry);
  return { files: [...files].sort(), foreign: [...foreign].sort() };
}

/** The source that a name of the workspace stands for, by its package's `exports`. */
function sourceOf(specifier: string): string {
  const [, name = '', ...rest] = specifier.split('/');
  const entry = readManifest(`packages/${name}/package.json`).exports?.[['.', ...rest].join('/')];
  if (typeof entry === 'object' && entry !== null && condition in entry)
    return posix.join('packages', name, String(entry[condition]));
  throw new Error(`${specifier} is not exported by its package`);
}
