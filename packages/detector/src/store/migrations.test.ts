import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HeldClocks } from '../testing/held-time.ts';
import { runDetector } from '../testing/running-detector.ts';
import { post, ScriptedAgent } from '../testing/scripted-agent.ts';
import { WebhookSink } from '../testing/webhook-sink.ts';
import { migrations } from './migrations.ts';
import { openDatabase } from './open-database.ts';
import { SqliteStore } from './sqlite-store.ts';

const fixtures = fileURLToPath(new URL('../../fixtures/', import.meta.url));
const versions = readdirSync(fixtures)
  .flatMap((name) => /^schema-(\d+)\.sql$/.exec(name)?.[1] ?? [])
  .map(Number)
  .sort((one, other) => one - other);
/** The fixtures' detectors stood still then; ten minutes before the next start. */
const stoppedMs = Date.UTC(2026, 10, 30, 12, 0, 10);

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'turnwatch-migrations-'));
  file = join(directory, 'turnwatch.db');
});
afterEach(() => rmSync(directory, { recursive: true }));

function build(version: number): void {
  const database = new DatabaseSync(file);
  database.exec(readFileSync(join(fixtures, `schema-${version}.sql`), 'utf8'));
  database.close();
}

function look(path: string, sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare(sql).all();
  database.close();
  return rows;
}

test('the schemas of the first versions are among the fixtures, none of a version to come', () => {
  expect(versions.slice(0, 5)).toEqual([1, 2, 3, 4, 5]);
  expect(Math.max(...versions)).toBeLessThanOrEqual(migrations.length);
});

describe.each(versions)('a database of schema %i', (version) => {
  test('is migrated; turns, verdicts, deliveries and endpoints are there, and the detector goes on', async () => {
    build(version);
    const before = look(file, 'SELECT id, endpoint_id, state, attempts, body FROM outbox ORDER BY sequence');
    const [identity] = look(file, `SELECT value FROM meta WHERE key = 'detector_id'`);
    const sink = new WebhookSink();
    await sink.listen();
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const store = SqliteStore.open(file);
    expect(store.detectorId).toBe(identity?.value);
    expect(
      store.deliveries({}, undefined, 9).map(({ id, endpointId, state, attempts, body }) => ({
        id,
        endpoint_id: endpointId,
        state,
        attempts,
        body,
      })),
    ).toEqual(before.reverse());
    const endpoints = [
      { id: 'parent', url: sink.url, secret, match: { parent: 'planner' } },
      { id: 'gone', url: sink.url, secret, match: { parent: 'lost' } },
    ];
    const clocks = new HeldClocks(stoppedMs + 600_000);
    const running = await runDetector({ endpoints }, { store, clocks });

    const states = async (): Promise<unknown> => {
      const { body } = await running.json('/v1/turns');
      const turns = body.turns as { id: string; state: string }[];
      return Object.fromEntries(turns.map(({ id, state }) => [id, state]));
    };
    const asItWas = {
      working: 'running',
      silent: 'stale',
      recovered: 'running',
      finished: 'ended',
      expired: 'expired',
    };
    expect(await states()).toEqual(asItWas);
    const listed = (await running.json('/v1/endpoints')).body.endpoints as { id: string }[];
    expect(listed.map(({ id }) => id).sort()).toEqual(
      version === 1 ? ['gone', 'parent'] : ['gone', 'parent', 'registered'],
    );
    const told = version === 1 ? [] : ['turn.stale', 'turn.stale', 'turn.recovered', 'turn.expired'];
    const feed = (await running.json('/v1/events?after=0')).status;
    // What was told before there was a feed is not in it, and the feed says so.
    if (version === 1) expect(feed).toBe(410);
    else expect(store.eventsAfter(0, { managed: true }, 9).map(({ type }) => type)).toEqual(told);

    // What waited for the endpoint that was down comes now that it is up, and nothing else.
    running.pass(20);
    const [late] = await sink.until(1);
    expect(JSON.parse(late?.body ?? '')).toMatchObject({ type: 'turn.stale', subject: 'silent' });
    expect(await states()).toEqual(asItWas);

    // The turns go on: recover from the verdict of the older version, fail, fall silent.
    const identified = (turn: string): ScriptedAgent => {
      const agent = new ScriptedAgent(turn, { parentId: turn === 'silent' ? 'lost' : 'planner' });
      agent.a = 600_000;
      for (let said = 0; said < 10; said++) agent.beat();
      return agent;
    };
    const silent = identified('silent');
    const working = identified('working');
    const recovered = identified('recovered');
    const batch = [
      silent.says({ name: 'step' }, 0),
      working.says({ name: 'ended', outcome: 'failed', errorType: 'timeout' }, 0),
      recovered.says({ name: 'heartbeat' }, 5000),
    ];
    expect((await post(running.url, batch)).status).toBe(200);
    expect(await states()).toEqual({ ...asItWas, silent: 'running', working: 'ended', recovered: 'stale' });
    const after = (await sink.until(3)).slice(1).map(({ body }) => JSON.parse(body));
    expect(after.map(({ type, subject }) => `${type} ${subject}`).sort()).toEqual([
      'turn.recovered silent',
      'turn.stale recovered',
    ]);
    await running.detector.stop();
    await sink.close();
    expect(sink.received).toHaveLength(3);
  });

  test('is copied first, where it is older; the copy is what it was', () => {
    build(version);
    const turns = look(file, 'SELECT * FROM turns');
    const store = SqliteStore.open(file);
    store.close();
    if (version === migrations.length) {
      expect(store.migrated).toBeUndefined();
      return;
    }
    const copy = `${store.place}.before-schema-${migrations.length}`;
    expect(store.migrated).toEqual({ from: version, copy });
    expect(look(copy, 'PRAGMA user_version')).toEqual([{ user_version: version }]);
    expect(look(copy, 'PRAGMA application_id')).toEqual(look(file, 'PRAGMA application_id'));
    expect(look(copy, 'SELECT * FROM turns')).toEqual(turns);
  });
});

describe('a migration that fails', () => {
  test('in the middle leaves the database as it was, and the version before opens it', () => {
    build(1);
    const turns = look(file, 'SELECT * FROM turns');
    const broken = [
      ...migrations,
      'CREATE TABLE more (a); DELETE FROM turns; INSERT INTO nowhere VALUES (1)',
    ];
    expect(() => openDatabase(file, broken)).toThrow(/no such table: nowhere/);
    expect(look(file, 'PRAGMA user_version')).toEqual([{ user_version: 1 }]);
    expect(look(file, 'SELECT * FROM turns')).toEqual(turns);
    expect(look(file, `SELECT name FROM sqlite_schema WHERE name IN ('events', 'more')`)).toEqual([]);
    const before = openDatabase(file, migrations.slice(0, 1));
    before.database.close();
    before.unlock();
    SqliteStore.open(file).close();
  });

  test('for want of a place for the copy changes nothing and says what to do', () => {
    build(1);
    // A folder in the place of the copy: it cannot be made, as on a full disk.
    mkdirSync(join(`${file}.before-schema-${migrations.length}`, 'in the way'), { recursive: true });
    expect(() => SqliteStore.open(file)).toThrow(
      /is of an older version and could not be copied to .* nothing was changed: make room/,
    );
    expect(look(file, 'PRAGMA user_version')).toEqual([{ user_version: 1 }]);
    expect(readdirSync(directory).filter((name) => name.includes('unfinished'))).toEqual([]);
  });
});
