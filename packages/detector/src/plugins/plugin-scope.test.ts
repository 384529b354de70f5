import { expect, test } from 'vitest';
import { ownerOf, type ScopeOwner } from './plugin-scope.ts';

const owner = (id: string, folder: string): ScopeOwner => ({ id, folder, stray: () => undefined });
const owners = [owner('outer', '/srv/app'), owner('inner', '/srv/app/node_modules/inner')];

/** Whose error it is that was thrown in the first of these files, called from those after it. */
function ownerOfErrorIn(...files: readonly string[]): string | undefined {
  const error = new Error('stray');
  error.stack = ['Error: stray', ...files.map((file) => `    at work (${file}:1:2)`)].join('\n');
  return ownerOf(error, owners)?.id;
}

test.each([
  ['a plugin', ['file:///srv/app/sink.js'], 'outer'],
  ['a plugin that Node called for', ['node:internal/timers', 'file:///srv/app/sink.js'], 'outer'],
  ['a plugin below the folder of another', ['/srv/app/node_modules/inner/index.js'], 'inner'],
  ['the detector, called by a plugin', ['/opt/detector/app.js', '/srv/app/sink.js'], undefined],
  ['the detector, installed below a plugin', ['/srv/app/node_modules/detector/app.js'], undefined],
  ['nobody', [], undefined],
])('an uncaught error of %s', (_of, files, expected) => {
  expect(ownerOfErrorIn(...files)).toBe(expected);
});
