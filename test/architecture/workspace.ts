import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SourceFile } from './source-text.ts';

type Ranges = Readonly<Record<string, string>>;

/** What the checks read of a package.json. */
export interface Manifest {
  readonly name: string;
  readonly version?: string;
  readonly license?: string;
  readonly type?: string;
  readonly engines?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly files?: readonly string[];
  readonly dependencies?: Ranges;
  readonly devDependencies?: Ranges;
  readonly peerDependencies?: Ranges;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly optionalDependencies?: Ranges;
}

/** One package of the workspace with all of its TypeScript sources. */
export interface Package {
  /** From the repository's root, `packages/core`. */
  readonly dir: string;
  readonly manifest: Manifest;
  /** Folder names that tsconfig.json references, `core`. */
  readonly references: readonly string[];
  readonly sources: readonly SourceFile[];
}

export const root: string = fileURLToPath(new URL('../../', import.meta.url));

const unread = new Set(['node_modules', 'dist', 'coverage']);

/** Every file below a folder, sorted, without what is installed or built. */
export function filesBelow(dir: string): string[] {
  const found = readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory())
      return unread.has(entry.name) || entry.name.startsWith('.') ? [] : filesBelow(join(dir, entry.name));
    return entry.isFile() ? [join(dir, entry.name)] : [];
  });
  return found.sort();
}

export function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest;
}

/** A file as the checks see it. */
export function readSource(path: string): SourceFile {
  return { path: relative(root, path).split(sep).join('/'), text: readFileSync(path, 'utf8') };
}

/** Folders below `packages` or `test` that are packages of the workspace. */
export function packageDirs(parent: 'packages' | 'test'): string[] {
  return readdirSync(join(root, parent))
    .map((name) => `${parent}/${name}`)
    .filter((dir) => existsSync(join(root, dir, 'package.json')))
    .sort();
}

export function readPackages(): Package[] {
  return packageDirs('packages').map((dir) => {
    const tsconfig = JSON.parse(readFileSync(join(root, dir, 'tsconfig.json'), 'utf8')) as {
      readonly references?: readonly { readonly path: string }[];
    };
    return {
      dir,
      manifest: readManifest(`${dir}/package.json`),
      references: (tsconfig.references ?? []).map(({ path }) => path.replace(/^\.\.\//, '')).sort(),
      sources: filesBelow(join(root, dir, 'src'))
        .filter((path) => /\.[cm]?tsx?$/.test(path))
        .map(readSource),
    };
  });
}
