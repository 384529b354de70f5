import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { closureOf } from './closure.ts';
import { root } from './workspace.ts';

// The embedded detector is loaded into the processes of others: what it brings along must be little, and known.

const run = promisify(execFile);
const { files, foreign } = closureOf('packages/detector/src/embedded.ts');

test('the embedded detector is core, protocol, its own folder and the clocks', () => {
  const elsewhere = files.filter(
    (path) =>
      !/^packages\/(core\/src\/|protocol\/src\/|detector\/src\/(embedded\/|embedded\.ts$|machine-clocks\.ts$))/.test(
        path,
      ),
  );
  expect(elsewhere).toEqual([]);
});

test('it takes nothing from npm, opens no port and no file', () => {
  expect(foreign).toEqual(['node:crypto', 'node:os']);
});

test('as Node loads it, no other module comes along', async () => {
  const listing = `
    import { registerHooks } from 'node:module';
    const urls = [];
    registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
    await import('@turnwatch/detector/embedded');
    process.stdout.write(JSON.stringify(urls));
  `;
  const { stdout } = await run(
    process.execPath,
    ['--conditions=@turnwatch/source', '--input-type=module', '--eval', listing],
    { cwd: root },
  );
  const loaded = (JSON.parse(stdout) as string[]).map((url) => url.replace(/^file:\/\//, ''));
  expect(
    loaded
      .filter((url) => !url.startsWith('node:'))
      .map((path) => path.slice(root.length))
      .sort(),
  ).toEqual(files);
});

test('the service is not: the walk would have found express', () => {
  expect(closureOf('packages/detector/src/index.ts').foreign).toContain('express');
});
