import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { SavedTurn } from '@turnwatch/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { migrations } from './migrations.ts';
import { SqliteStore } from './sqlite-store.ts';
import { StoreError } from './store-error.ts';
import type { Commit } from './turn-store.ts';

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'turnwatch-sqlite-'));
  file = join(directory, 'turnwatch.db');
});
afterEach(() => rmSync(directory, { recursive: true }));

function refusal(path = file): StoreError {
  try {
    SqliteStore.open(path).close();
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
  throw new Error('the file was opened');
}

function commitOf(id: string): Commit {
  const saved = { id } as unknown as SavedTurn;
  return {
    turns: [{ id, saved }],
    baselines: [],
    forgottenTurns: [],
    awakeMs: 1,
    sequence: 1,
    deliveries: [
      {
        id: `evt_${id}`,
        endpointId: 'a',
        sequence: 1,
        type: 'turn.stale',
        turnId: id,
        body: '{}',
        createdAtMs: 1,
      },
    ],
    events: [],
  };
}

describe('what is kept', () => {
  test('everything is there after opening the file again, the detector is the same', () => {
    const before = SqliteStore.open(file);
    before.commit(commitOf('t1'));
    before.close();
    const after = SqliteStore.open(file);
    expect(after.load().turns).toEqual([{ id: 't1' }]);
    expect(after.due('a', 1, 9)).toHaveLength(1);
    expect(after.detectorId).toBe(before.detectorId);
    after.close();
  });

  test('turn and event are one transaction: a failure in the last row takes the first with it', () => {
    const store = SqliteStore.open(file);
    const commit = commitOf('t1');
    const [delivery] = commit.deliveries;
    if (delivery === undefined) throw new Error('a delivery was expected');
    const broken = { ...delivery, id: 'evt_2', body: null as unknown as string };
    expect(() => store.commit({ ...commit, deliveries: [delivery, broken] })).toThrow(/NOT NULL/);
    expect(store.load().turns).toEqual([]);
    expect(store.due('a', 9, 9)).toEqual([]);
    store.commit(commit);
    expect(store.load().turns).toHaveLength(1);
    store.close();
  });

  test('every acknowledged commit survives a SIGKILL of the process that made it', async () => {
    const script = `
      import { SqliteStore } from ${JSON.stringify(new URL('./sqlite-store.ts', import.meta.url).href)};
      const store = SqliteStore.open(${JSON.stringify(file)});
      for (let n = 1; ; n++) {
        store.commit({ turns: [{ id: 't' + n, saved: { n } }], baselines: [], deliveries: [], events: [], forgottenTurns: [], awakeMs: n, sequence: n });
        if (!process.stdout.write(n + '\\n')) await new Promise((resolve) => process.stdout.once('drain', resolve));
        else await new Promise((resolve) => setImmediate(resolve));
      }`;
    const child = spawn(process.execPath, [
      '--conditions=@turnwatch/source',
      '--input-type=module',
      '-e',
      script,
    ]);
    let output = '';
    let errors = '';
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', (chunk) => {
        output += chunk;
        if (output.split('\n').length > 20) resolve();
      });
      child.once('exit', () => reject(new Error(errors)));
    });
    child.kill('SIGKILL');
    await once(child, 'close');
    const acknowledged = Number(output.trim().split('\n').at(-1));
    const store = SqliteStore.open(file);
    expect(store.load().sequence).toBeGreaterThanOrEqual(acknowledged);
    expect(store.load().turns.length).toBe(store.load().sequence);
    store.close();
  });
});

describe('what is refused', () => {
  test('a directory that does not exist', () => {
    expect(refusal(join(directory, 'gone', 'a.db'))).toMatchObject({
      code: 'STORE_MISSING_DIRECTORY',
      message: expect.stringContaining('make it, or set detector.store.file'),
    });
  });

  test('a directory in the place of the file', () => {
    mkdirSync(file);
    expect(refusal().code).toBe('STORE_NOT_A_FILE');
  });

  test('a file that is no database, left as it is', () => {
    writeFileSync(file, 'these are notes, and they are longer than a page header of SQLite.\n'.repeat(50));
    const before = readFileSync(file);
    const error = refusal();
    expect(error.code).toBe('STORE_CORRUPT');
    expect(error.message).toContain(`${file}: is damaged or no database`);
    expect(error.message).toContain('--replace-corrupt-store, which moves it aside');
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('a database whose pages are damaged', () => {
    const store = SqliteStore.open(file);
    for (let n = 0; n < 200; n++) store.commit(commitOf(`turn ${n} ${'x'.repeat(500)}`));
    store.close();
    const bytes = readFileSync(file);
    bytes.fill(0xa5, 4096, bytes.length - 4096);
    writeFileSync(file, bytes);
    expect(refusal().code).toBe('STORE_CORRUPT');
  });

  test('the database of another program, left as it is', () => {
    const other = new DatabaseSync(file);
    other.exec('CREATE TABLE theirs (a); PRAGMA user_version = 3');
    other.close();
    const before = readFileSync(file);
    expect(refusal()).toMatchObject({
      code: 'STORE_FOREIGN',
      message: expect.stringContaining('another program'),
    });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('a database of a newer version', () => {
    SqliteStore.open(file).close();
    const later = new DatabaseSync(file);
    later.exec(`PRAGMA user_version = ${migrations.length + 1}`);
    later.close();
    expect(refusal()).toMatchObject({
      code: 'STORE_NEWER',
      message: expect.stringContaining('run that version'),
    });
  });

  test('a file that another detector has open, until that one closes it', () => {
    const one = SqliteStore.open(file);
    expect(refusal()).toMatchObject({
      code: 'STORE_IN_USE',
      message: expect.stringContaining('another detector'),
    });
    one.commit(commitOf('t1'));
    one.close();
    const two = SqliteStore.open(file);
    expect(two.load().turns).toHaveLength(1);
    two.close();
  });
  test('a second detector that comes by a link meets the same lock', () => {
    const first = SqliteStore.open(file);
    const link = join(directory, 'link.db');
    symlinkSync(file, link);
    expect(refusal(link).code).toBe('STORE_IN_USE');
    first.close();
    SqliteStore.open(link).close();
  });

  test('a second name (hard link), by which a second detector would meet no lock', () => {
    SqliteStore.open(file).close();
    const link = join(directory, 'link.db');
    linkSync(file, link);
    for (const name of [file, link])
      expect(refusal(name)).toMatchObject({
        code: 'STORE_LINKED',
        message: expect.stringContaining('find DIR -samefile'),
      });
    rmSync(link);
    SqliteStore.open(file).close();
  });

  test('a lock that another program holds', () => {
    SqliteStore.open(file).close();
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    expect(refusal()).toMatchObject({ code: 'STORE_IN_USE', message: expect.stringContaining('lsof') });
    other.close();
    SqliteStore.open(file).close();
  });

  test.each([
    ['its header', (bytes: Buffer) => bytes.fill(0xa5, 0, 100)],
    ['a page in the middle', (bytes: Buffer) => bytes.fill(0xa5, 20 * 4096, 21 * 4096)],
    ['its end', (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length / 2))],
    ['the second half of a page', (bytes: Buffer) => bytes.subarray(0, 5 * 4096 + 2000)],
  ])('a database that lost %s, and it is left as it is', (_, harm) => {
    const store = SqliteStore.open(file);
    for (let n = 0; n < 300; n++) store.commit(commitOf(`turn ${n} ${'x'.repeat(500)}`));
    store.close();
    const harmed = harm(readFileSync(file));
    writeFileSync(file, harmed);
    expect(refusal()).toMatchObject({
      code: 'STORE_CORRUPT',
      message: expect.stringContaining('restore a backup'),
    });
    expect(readFileSync(file).equals(harmed)).toBe(true);
  });

  test('a row that cannot be read', () => {
    const store = SqliteStore.open(file);
    store.commit(commitOf('t1'));
    store.close();
    const other = new DatabaseSync(file);
    other.exec(`UPDATE turns SET saved = '{"turn":'`);
    other.close();
    const again = SqliteStore.open(file);
    expect(() => again.load()).toThrow(/a row of turns cannot be read/);
    again.close();
  });

  // Rights do not bind root, so there the check runs as another user, in a process of its own.
  test('a read-only file, at the start and not at the first verdict', async () => {
    SqliteStore.open(file).close();
    rmSync(`${file}.lock`, { force: true });
    chmodSync(file, 0o444);
    chmodSync(directory, 0o555);
    const probe = `
      import { SqliteStore } from ${JSON.stringify(new URL('./sqlite-store.ts', import.meta.url).href)};
      try { SqliteStore.open(${JSON.stringify(file)}); console.log('opened'); } catch (error) { console.log(error.code, error.message); }`;
    const root = process.getuid?.() === 0;
    const child = spawn(
      process.execPath,
      ['--conditions=@turnwatch/source', '--input-type=module', '-e', probe],
      {
        ...(root ? { uid: 65_534, gid: 65_534 } : {}),
      },
    );
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk;
      });
    await once(child, 'close');
    chmodSync(directory, 0o755);
    expect(output).toContain(`STORE_READ_ONLY ${file}: cannot be written to`);
    expect(output).toContain('store: memory');
  });
});

describe('while it is open', () => {
  test.each(['', '-wal'])('a file%s that is moved away is noticed, and so is its return', (end) => {
    const store = SqliteStore.open(file);
    store.commit(commitOf('t1'));
    renameSync(file + end, join(directory, 'elsewhere'));
    expect(() => store.commit(commitOf('t2'))).toThrow(
      /was removed or moved .*put the file back, or restart/,
    );
    writeFileSync(file + end, '');
    expect(() => store.commit(commitOf('t2'))).toThrow(/was replaced/);
    renameSync(join(directory, 'elsewhere'), file + end);
    store.commit(commitOf('t2'));
    store.close();
    const again = SqliteStore.open(file);
    expect(again.load().turns).toEqual([{ id: 't1' }, { id: 't2' }]);
    again.close();
  });

  test('the file shrinks when what was in it has gone', () => {
    const store = SqliteStore.open(file);
    for (let n = 0; n < 300; n++) store.commit(commitOf(`turn ${n} ${'x'.repeat(2000)}`));
    const ids = store.load().turns.map((saved) => (saved as unknown as { id: string }).id);
    store.commit({ ...commitOf('t1'), forgottenTurns: ids });
    const pages = (): number => Number(look('PRAGMA page_count').page_count);
    const before = pages();
    store.shrink();
    expect(pages()).toBeLessThan(before - 100);
    store.close();
  });

  test('what waits for the disk and what does not: only activity is lazy', () => {
    const store = SqliteStore.open(file);
    store.commit({ ...commitOf('t1'), lazy: true });
    store.commit(commitOf('t2'));
    expect(store.load().turns).toHaveLength(2);
    store.close();
  });
});

function look(sql: string): Record<string, unknown> {
  const other = new DatabaseSync(file, { readOnly: true });
  const row = other.prepare(sql).get();
  other.close();
  if (row === undefined) throw new Error(`${sql} found nothing`);
  return row;
}
