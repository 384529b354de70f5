import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { runReplay } from './run.ts';

const folder = fileURLToPath(new URL('../../../../test/scenarios/', import.meta.url));
const files = readdirSync(folder)
  .filter((name) => /^s00[12]-/.test(name))
  .map((name) => join(folder, name));
const scratch = mkdtempSync(join(tmpdir(), 'turnwatch-replay-'));
afterAll(() => rmSync(scratch, { recursive: true }));

let out = '';
let err = '';
const output = {
  out: (text: string): void => {
    out += text;
  },
  err: (text: string): void => {
    err += text;
  },
};
beforeEach(() => {
  out = '';
  err = '';
});

const lines = (): unknown[] =>
  out
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));

/** A scenario of a real file that claims the contrary. */
function wrong(): string {
  const path = join(scratch, 'wrong.json');
  writeFileSync(
    path,
    JSON.stringify({
      id: 'wrong',
      signals: [{ t: 0, type: 'turn.started', turn: 'a' }],
      expect: [{ t: 5, turn: 'a', state: 'stale' }],
    }),
  );
  return path;
}

test('real scenario files hold, a JSON line each', async () => {
  expect(files.length).toBeGreaterThan(10);
  expect(await runReplay({ scenario: files, json: true }, [], output)).toBe(0);
  expect(lines()).toHaveLength(files.length);
  for (const line of lines()) expect(line).toEqual({ id: expect.any(String), passed: true, failures: [] });
});

test('they hold as well with doubled batches, skewed clocks and another beat', async () => {
  const flags = { scenario: files.slice(0, 8), json: true, double: true, skew: 97_200, phase: 900 };
  expect(await runReplay(flags, [], output)).toBe(0);
});

test('one that does not hold is exit code 1 and says what is so and what was expected', async () => {
  expect(await runReplay({ json: true }, [wrong()], output)).toBe(1);
  expect(lines()).toMatchObject([{ id: 'wrong', passed: false }]);
  expect(out).toContain('state is \\"running\\", expected \\"stale\\"');
});

test('files that cannot be run have failed by name, and the others run', async () => {
  const broken = join(scratch, 'broken.json');
  writeFileSync(broken, '{');
  const nowhere = join(scratch, 'nowhere.json');
  const [good = ''] = files;
  expect(await runReplay({ scenario: [nowhere, broken, scratch], json: true }, [good], output)).toBe(1);
  expect(lines()).toMatchObject([
    { id: nowhere, passed: false, failures: [`${nowhere}: there is no such file`] },
    { id: broken, passed: false, failures: [expect.stringMatching(/^.*broken\.json: not JSON: /)] },
    { id: scratch, passed: false, failures: [`${scratch}: is a folder; give its files`] },
    { passed: true },
  ]);
});

test('for people: a readable line a file, reasons below it, and the sum', async () => {
  const [good = ''] = files;
  expect(await runReplay({ scenario: [good, wrong()] }, [], output)).toBe(1);
  expect(out).toMatch(/^ok {6}s001-/);
  expect(out).toMatch(/^FAILED {2}wrong\n {8}t=5 turn a: state is/m);
  expect(out).toMatch(/\n2 run, 1 passed, 1 failed\n$/);
});

test('--trace shows every change of a turn; with --json on stderr, so that stdout keeps a line a file', async () => {
  const [good = ''] = files;
  await runReplay({ scenario: [good], trace: true }, [], output);
  expect(out).toMatch(/^ +\d+\.\d s {2}\S+ +running /m);
  out = '';
  await runReplay({ scenario: [good], trace: true, json: true }, [], output);
  expect(lines()).toHaveLength(1);
  expect(JSON.parse(err.split('\n')[0] ?? '')).toMatchObject({ state: 'running', t: expect.any(Number) });
});
