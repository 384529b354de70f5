import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteStore } from '@turnwatch/detector';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCommandLine } from '../command-line.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnwatch-backup-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const code = await runCommandLine(args, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}

test('backup while the database is open, restore when it is not', async () => {
  const db = join(folder, 'turnwatch.db');
  const copy = join(folder, 'copy.db');
  const store = SqliteStore.open(db);
  const { detectorId } = store;
  expect(await run('backup', '--db', db, '--out', copy)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/copy\.db: 0 turns, .* checked\n$/),
  });
  const inUse = await run('restore', '--db', db, '--from', copy);
  expect(inUse).toMatchObject({ code: 1, err: expect.stringContaining('another detector has it open') });
  store.close();
  rmSync(db);
  expect(await run('restore', '--db', db, '--from', copy)).toMatchObject({
    code: 0,
    out: `${db} is the backup. Start the detector: turnwatch serve --db ${db}\n`,
  });
  const again = SqliteStore.open(db);
  expect(again.detectorId).toBe(detectorId);
  again.close();
});

test('a backup that is damaged is not mended by an empty database', async () => {
  const bad = join(folder, 'bad.db');
  writeFileSync(bad, 'no database at all, but some text that is long enough'.repeat(100));
  const { code, err } = await run('restore', '--db', join(folder, 'new.db'), '--from', bad);
  expect(code).toBe(1);
  expect(err).toContain('is damaged or no database');
  expect(err).toContain('take another backup');
  expect(err).not.toContain('--replace-corrupt-store');
});

test('what cannot be done is one line and exit code 1 or 2', async () => {
  const db = join(folder, 'none.db');
  expect(await run('backup', '--db', db)).toMatchObject({
    code: 2,
    err: expect.stringContaining('backup needs --out FILE'),
  });
  expect(await run('backup', '--db', db, '--out', join(folder, 'x'))).toMatchObject({
    code: 1,
    err: `turnwatch backup: ${db}: is not there; name the database with --db or --config\n`,
  });
  expect(await run('restore', '--db', db, '--from', join(folder, 'x'))).toMatchObject({ code: 1 });
  expect(existsSync(db)).toBe(false);
});
