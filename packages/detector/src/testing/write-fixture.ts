import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { SqliteStore } from '../store/sqlite-store.ts';
import { Api } from './api.ts';
import { runDetector } from './running-detector.ts';
import { post, ScriptedAgent } from './scripted-agent.ts';
import { WebhookSink } from './webhook-sink.ts';

// Writes the database of the present version as SQL, for the day it is an older one (fixtures/README.md).

const [folder = '.'] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), 'turnwatch-fixture-'));
const file = join(directory, 'turnwatch.db');
await writeDatabase();
const { version, text } = dumped();
writeFileSync(join(folder, `schema-${version}.sql`), text);
rmSync(directory, { recursive: true });

async function writeDatabase(): Promise<void> {
  const sink = new WebhookSink();
  const url = await sink.listen();
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const endpoints = [
    { id: 'parent', url, secret, match: { parent: 'planner' } },
    { id: 'gone', url: 'http://127.0.0.1:9/hook', secret, match: { parent: 'lost' } },
  ];
  const running = await runDetector(
    { endpoints, webhook: { allowLoopback: true } },
    { store: SqliteStore.open(file) },
  );
  const send = async (signals: Parameters<typeof post>[1]): Promise<void> => {
    const answer = await post(running.url, signals);
    if (answer.status !== 200) throw new Error(await answer.text());
  };
  const agentOf = (turn: string, model: string, parentId = 'planner'): ScriptedAgent => {
    const identity = { parentId, agent: 'coder', conversationId: 'talk', provider: 'acme', model };
    const agent = new ScriptedAgent(turn, identity);
    agent.a = 1000;
    return agent;
  };
  const working = agentOf('working', 'm2');
  const silent = agentOf('silent', 'm1', 'lost');
  const recovered = agentOf('recovered', 'm1');
  const finished = agentOf('finished', 'm3');
  const expired = agentOf('expired', 'm4');
  await send(
    [working, silent, recovered, finished, expired].map((agent) =>
      agent.says({ name: 'started' }, 0, { expiresInMs: agent === expired ? 5000 : 3_600_000 }),
    ),
  );
  for (const agent of [working, silent, recovered, finished]) agent.a = 4000;
  const request = { id: 'r1', startedA: 2000, streaming: true, contentA: 2500, promptTokens: 1000 };
  await send([
    silent.says({ name: 'heartbeat' }, 3000),
    recovered.says({ name: 'heartbeat' }, 3000),
    finished.says({ name: 'heartbeat' }, 0),
    working.says({ name: 'heartbeat' }, 0, { phase: 'text', requests: [request], chunks: 20 }),
    working.beat(),
  ]);
  await sink.until(1);
  recovered.a = 5000;
  await send([
    recovered.says({ name: 'step' }, 0),
    finished.says({ name: 'ended', outcome: 'completed' }, 0),
  ]);
  await sink.until(2);
  running.pass(10);
  await sink.until(3);
  const registered = { id: 'registered', url, secret, match: { parent: 'other' } };
  const { status } = await new Api(running.url).call('POST', '/v1/endpoints', registered);
  if (status !== 201) throw new Error(`the endpoint was not registered: ${status}`);
  await running.detector.stop();
  await sink.close();
}

function dumped(): { version: number; text: string } {
  const database = new DatabaseSync(file, { readOnly: true });
  const pragma = (name: string): number => Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
  const version = pragma('user_version');
  const lines = [
    `-- Written by the version with schema ${version}.`,
    `PRAGMA application_id = ${pragma('application_id')};`,
    `PRAGMA user_version = ${version};`,
  ];
  const objects = database
    .prepare(
      `SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type = 'index', rowid`,
    )
    .all();
  for (const { sql } of objects) lines.push(`${sql};`);
  for (const { type, name } of objects) {
    if (type !== 'table') continue;
    for (const row of database.prepare(`SELECT * FROM ${name}`).all())
      lines.push(
        `INSERT INTO ${name} (${Object.keys(row).join(', ')}) VALUES (${Object.values(row).map(literal).join(', ')});`,
      );
  }
  database.close();
  // Ports that were free by chance say nothing, and would make each dump another one.
  const text = `${lines.join('\n')}\n`.replace(/http:\/\/127\.0\.0\.1:(?!9\/)\d+/g, 'http://127.0.0.1:4318');
  return { version, text };
}

function literal(value: SQLOutputValue): string {
  if (value === null) return 'NULL';
  return typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`;
}
