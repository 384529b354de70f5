import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { outsidePathFaults } from './outside-paths.ts';
import { readSource, root } from './workspace.ts';

/** Tracked files and those about to be; undefined where this is no git checkout, as in a source archive. */
function filesOfTheRepository(): string[] | undefined {
  try {
    // A checkout that belongs to another user is read all the same: only names are asked for.
    const args = [
      '-c',
      `safe.directory=${root.replace(/[\\/]$/, '')}`,
      'ls-files',
      '-z',
      '--cached',
      '--others',
      '--exclude-standard',
    ];
    const listed = execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return listed.split('\0').filter((path) => path !== '');
  } catch {
    return undefined;
  }
}

test('no file names a folder outside of the repository', ({ skip }) => {
  const paths = filesOfTheRepository();
  if (paths === undefined) return skip('not a git checkout');
  const texts = paths
    .map((path) => join(root, path))
    .flatMap((path) => {
      try {
        return [readSource(path)];
      } catch (error) {
        // Listed by git and deleted since, or a folder of its own.
        if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'EISDIR'))
          return [];
        throw error;
      }
    });
  expect(texts.length).toBeGreaterThan(20);
  expect(texts.flatMap(outsidePathFaults)).toEqual([]);
});

test('the lock file names no registry, so that it works behind any mirror', () => {
  expect(readFileSync(join(root, 'package-lock.json'), 'utf8')).not.toMatch(/"resolved": "https?:/);
});

test('outsidePathFaults finds the paths and nothing else', () => {
  const faults = (text: string): string[] => outsidePathFaults({ path: 'a.md', text });
  expect(faults(`see ${['..', 'shared', 'x.md'].join('/')}`)).toEqual([
    'a.md:1: names a folder outside of the repository',
  ]);
  expect(faults(`\nrun /${'work'}/x`)).toEqual(['a.md:2: names a folder outside of the repository']);
  expect(faults('a/work/b and ~/work/c and work/d')).toEqual([]);
});
