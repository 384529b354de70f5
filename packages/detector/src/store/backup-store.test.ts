import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { silentLogger } from '../logger.ts';
import { HeldClocks } from '../testing/held-time.ts';
import { runDetector } from '../testing/running-detector.ts';
import { post, ScriptedAgent } from '../testing/scripted-agent.ts';
import { WebhookSink } from '../testing/webhook-sink.ts';
import { backupStore, restoreStore } from './backup-store.ts';
import { openSqliteStore } from './open-sqlite-store.ts';
import { SqliteStore } from './sqlite-store.ts';

let directory: string;
let file: string;
let out: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'turnwatch-backup-'));
  file = join(directory, 'turnwatch.db');
  out = join(directory, 'backup.db');
});
afterEach(() => rmSync(directory, { recursive: true }));

const startMs = Date.UTC(2026, 10, 30, 12);
const opened = (path: string, wallMs: number) =>
  openSqliteStore(path, { logger: silentLogger, replaceCorrupt: false, wallMs });

test('of a running detector: another goes on from it, tells nothing twice and flags nobody who works', async () => {
  const sink = new WebhookSink();
  await sink.listen();
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const endpoints = [{ id: 'parent', url: sink.url, secret }];
  const first = await runDetector(
    { endpoints },
    { store: opened(file, startMs), clocks: new HeldClocks(startMs) },
  );
  const working = new ScriptedAgent('working', { parentId: 'planner' });
  const silent = new ScriptedAgent('silent', { parentId: 'planner', model: 'm2', provider: 'acme' });
  const later = new ScriptedAgent('later', { parentId: 'planner' });
  for (const agent of [working, silent, later]) agent.a = 1000;
  await post(first.url, [working.says({ name: 'started' }), silent.says({ name: 'started' })]);
  silent.a = 4000;
  working.a = 4000;
  await post(first.url, [silent.says({ name: 'heartbeat' }, 3000), working.says({ name: 'heartbeat' })]);
  await sink.until(1);
  await expect.poll(() => first.store.backlog().size).toBe(0);
  first.pass(5);

  const backup = backupStore(file, out, first.clocks.wallMs());
  expect(backup).toMatchObject({ file: out, turns: 2, bytes: statSync(out).size });
  // What happens after it is not in it.
  await post(first.url, [later.says({ name: 'started' })]);
  later.a = 4000;
  await post(first.url, [later.says({ name: 'heartbeat' }, 3000)]);
  await sink.until(2);
  const cursor = String((await first.json('/v1/events?after=latest')).body.nextCursor);
  await first.detector.stop();

  const clocks = new HeldClocks(startMs + 600_000);
  restoreStore(out, file, clocks.wallMs());
  const second = await runDetector({ endpoints }, { store: opened(file, clocks.wallMs()), clocks });
  expect(await second.json('/v1/turns/silent')).toMatchObject({ body: { state: 'stale' } });
  second.pass(15);
  working.a = 600_000;
  later.a = 600_000;
  await post(second.url, [working.says({ name: 'heartbeat' }), later.says({ name: 'heartbeat' })]);
  second.pass(15);
  for (const turn of ['working', 'later'])
    expect(await second.json(`/v1/turns/${turn}`)).toMatchObject({ body: { state: 'running' } });
  expect(sink.received).toHaveLength(2);

  // A reader of the feed who was further than the backup misses nothing that is told from here on.
  silent.a = 600_000;
  await post(second.url, [silent.says({ name: 'step' }, 0)]);
  await sink.until(3);
  const page = await second.json(`/v1/events?after=${cursor}`);
  expect(page).toMatchObject({
    status: 200,
    body: { events: [{ type: 'turn.recovered', subject: 'silent' }] },
  });
  await second.detector.stop();
  // The mark is gone: an ordinary restart leaves the numbers alone.
  const third = opened(file, clocks.wallMs() + 1);
  expect(third.load().sequence).toBe(Number((page.body.events as { sequence: string }[])[0]?.sequence));
  third.close();
  await sink.close();
});

describe('a backup', () => {
  test('is for its owner only, complete in one file, and never written over another', () => {
    const store = SqliteStore.open(file);
    backupStore(file, out, startMs);
    if (process.platform !== 'win32') expect(statSync(out).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory).filter((name) => name.startsWith('backup'))).toEqual(['backup.db']);
    const bytes = readFileSync(out);
    expect(() => backupStore(file, out, startMs)).toThrow(/exists already and was left as it is/);
    expect(readFileSync(out).equals(bytes)).toBe(true);
    store.close();
  });

  test.each([
    ['nothing', () => undefined, /is not there/],
    ['an empty file', () => writeFileSync(file, ''), /is empty: no detector/],
    ['no database', () => writeFileSync(file, 'notes'.repeat(1000)), /is damaged or no database/],
    [
      'the database of another program',
      () => {
        const other = new DatabaseSync(file);
        other.exec('CREATE TABLE theirs (a)');
        other.close();
      },
      /is a database of another program/,
    ],
  ])('of %s is refused, and nothing is left behind', (_, make, message) => {
    make();
    expect(() => backupStore(file, out, startMs)).toThrow(message);
    expect(readdirSync(directory).filter((name) => name.startsWith('backup'))).toEqual([]);
  });
});

describe('a restore', () => {
  test('is refused while a detector is running on the file, and changes nothing', () => {
    const store = SqliteStore.open(file);
    backupStore(file, out, startMs);
    expect(() => restoreStore(out, file, startMs)).toThrow(/another detector has it open/);
    store.commit({
      turns: [],
      baselines: [],
      deliveries: [],
      events: [],
      forgottenTurns: [],
      awakeMs: 7,
      sequence: 1,
    });
    store.close();
    const again = SqliteStore.open(file);
    expect(again.load().awakeMs).toBe(7);
    again.close();
  });

  test('of a damaged backup is refused', () => {
    SqliteStore.open(file).close();
    backupStore(file, out, startMs);
    const bytes = readFileSync(out);
    bytes.fill(0xa5, 3 * 4096, 4 * 4096);
    writeFileSync(out, bytes);
    expect(() => restoreStore(out, file, startMs)).toThrow(/is damaged/);
    SqliteStore.open(file).close();
  });

  test('moves what was there aside with its journal, and needs nothing to be there', () => {
    const store = SqliteStore.open(file);
    backupStore(file, out, startMs);
    store.close();
    copyFileSync(out, `${file}-wal`);
    const { aside } = restoreStore(out, file, startMs);
    expect(aside).toBe(`${file}.replaced-2026-11-30T12-00-00-000Z`);
    expect(readdirSync(directory)).toContain('turnwatch.db.replaced-2026-11-30T12-00-00-000Z-wal');
    const other = join(directory, 'new.db');
    expect(restoreStore(out, other, startMs)).toEqual({});
    SqliteStore.open(other).close();
  });
});
