import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCommandLine } from '../command-line.ts';

async function plugins(
  config: string,
  ...more: string[]
): Promise<{ code: number; out: string; err: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'turnwatch-plugins-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'turnwatch.yaml');
  writeFileSync(file, config);
  let out = '';
  let err = '';
  const code = await runCommandLine(['plugins', '--config', file, ...more], {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { code, out, err: err.replaceAll(folder, '') };
}

test('lists what is configured and what could be', async () => {
  const { code, out } = await plugins('detector: { plugins: [{ plugin: log, id: loud }] }');
  expect(code).toBe(0);
  expect(out).toMatch(/^ok +sink +loud +log$/m);
  expect(out).toMatch(/^ +probe +prometheus$/m);
});

test('with --json it is one document', async () => {
  const { out } = await plugins('detector: { mappers: false, plugins: [{ plugin: log }] }', '--json');
  expect(JSON.parse(out)).toMatchObject({
    plugins: [{ id: 'log', kind: 'sink', plugin: 'log', isolated: false }],
    builtIn: expect.arrayContaining([{ name: 'sqlite', kind: 'store' }]),
  });
});

test('tells every mistake at once, with exit code 1 and nothing on stdout', async () => {
  const { code, out, err } = await plugins(
    'detector: { plugins: [{ plugin: nowhere-to-be-found }, { plugin: ./no.js }], store: { plugin: log } }',
  );
  expect([code, out]).toEqual([1, '']);
  expect(err.split('\n').slice(0, 4)).toEqual([
    'turnwatch plugins:',
    expect.stringContaining('detector.plugins[0].plugin: there is no package nowhere-to-be-found'),
    expect.stringContaining('detector.plugins[1].plugin: there is no /no.js'),
    expect.stringContaining('detector.store.plugin: log is a sink, not a store; name it in detector.plugins'),
  ]);
});
