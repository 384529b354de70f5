import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
/** Those that run a program of the project's own; the commands of `turnwatch` have their own tests. */
const own = Object.entries(scripts).flatMap(([name, script]) => {
  const [, args] = /^(?:exec )?node ((?:--\S+ )*\S+\.ts)(?: --out \S+)?$/.exec(script) ?? [];
  return args === undefined ? [] : [[name, args.split(' ')] as const];
});

test('they are found', () => {
  expect(own.length).toBeGreaterThan(10);
});

test('those that start others hear the signal that npm passes on: it goes to the shell, which keeps it', () => {
  const starts = ['soak', 'hostile', 'fuzz', 'crash', 'collector:outage', 'languages', 'llama', 'clients'];
  expect(starts.filter((name) => scripts[name]?.startsWith('exec ') !== true)).toEqual([]);
});

test.each(own)('npm run %s: --help is help, and what it does not know is refused in a line', (name, args) => {
  const run = (arg: string) =>
    spawnSync(process.execPath, [...args, arg], { cwd: root, encoding: 'utf8', timeout: 15_000 });
  const helped = run('--help');
  expect([helped.status, helped.stderr]).toEqual([0, '']);
  expect(helped.stdout).toMatch(new RegExp(`^npm run ${name}\\b`));
  const refused = run('--bogus');
  expect([refused.status, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toMatch(/^.*--bogus.*\n$/);
});
