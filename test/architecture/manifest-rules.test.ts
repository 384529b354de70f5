import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { manifestFaults, versionFaults } from './manifest-rules.ts';
import { type Manifest, packageDirs, readManifest, readPackages, root } from './workspace.ts';

const packages = readPackages();

describe.each(packages.map(({ dir, manifest }) => [dir, manifest] as const))('%s', (dir, manifest) => {
  test('has a complete package.json', () =>
    expect(manifestFaults(`${dir}/package.json`, manifest)).toEqual([]));

  test('has a README.md', () => expect(existsSync(join(root, dir, 'README.md'))).toBe(true));

  test('carries the license into its package', () => {
    expect(readFileSync(join(root, dir, 'LICENSE'), 'utf8')).toBe(
      readFileSync(join(root, 'LICENSE'), 'utf8'),
    );
  });

  test('has the source of every entry point', () => {
    const sources = Object.values(manifest.exports ?? {}).flatMap((entry) =>
      typeof entry === 'object' && entry !== null
        ? Object.values(entry).filter((path) => path.startsWith('./src/'))
        : [],
    );
    expect(sources.filter((path: string) => !existsSync(join(root, dir, path)))).toEqual([]);
  });
});

test('the repository uses one version of zod', () => {
  const manifests = ['.', ...packageDirs('packages'), ...packageDirs('test')].map((dir) =>
    readManifest(`${dir}/package.json`),
  );
  expect(versionFaults('zod', manifests)).toEqual([]);
});

test('packages carry one version', () => {
  expect(new Set(packages.map(({ manifest }) => manifest.version)).size).toBe(1);
});

const good: Manifest = {
  name: '@turnwatch/a',
  version: '1.0.0',
  license: 'Apache-2.0',
  type: 'module',
  engines: { node: '>=20' },
  files: ['dist'],
  exports: {
    '.': { '@turnwatch/source': './src/index.ts', types: './dist/index.d.ts', default: './dist/index.js' },
    './openapi.json': './openapi.json',
    './package.json': './package.json',
  },
};

describe('manifestFaults', () => {
  test('has nothing to say about a good one', () => expect(manifestFaults('a', good)).toEqual([]));

  test.each(['license', 'type', 'engines', 'files', 'exports'] as const)('misses %s', (key) => {
    const { [key]: _, ...rest } = good;
    expect(manifestFaults('a', rest as Manifest)).toHaveLength(1);
  });

  test.each([
    ['no source condition', { types: './dist/a.d.ts', default: './dist/a.js' }],
    [
      'default before types',
      { '@turnwatch/source': './src/a.ts', default: './dist/a.js', types: './dist/a.d.ts' },
    ],
    ['a bare path', './dist/a.js'],
  ])('refuses an entry with %s', (_, entry) => {
    expect(manifestFaults('a', { ...good, exports: { ...good.exports, './a': entry } })).toHaveLength(1);
  });
});

test('versionFaults names who asks for what', () => {
  const asks = (name: string, zod: string): Manifest => ({ name, dependencies: { zod } });
  expect(versionFaults('zod', [asks('a', '4.6.7'), asks('b', '4.6.7')])).toEqual([]);
  expect(versionFaults('zod', [asks('a', '4.6.7'), asks('b', '4.6.6'), asks('c', '4.6.7')])).toEqual([
    'zod 4.6.7 is asked for by a, c',
    'zod 4.6.6 is asked for by b',
  ]);
});
