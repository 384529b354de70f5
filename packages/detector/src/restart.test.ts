import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Logger } from './logger.ts';
import { silentLogger } from './logger.ts';
import { MemoryStore } from './store/memory-store.ts';
import { SqliteStore } from './store/sqlite-store.ts';
import type { TurnStore } from './store/turn-store.ts';
import { HeldClocks } from './testing/held-time.ts';
import { type RunningDetector, runDetector } from './testing/running-detector.ts';
import { post, ScriptedAgent } from './testing/scripted-agent.ts';

// What a detector makes of its store when it comes back: after a crash, an outage, and with clocks that lie.

const startMs = Date.UTC(2026, 10, 30, 12);
const minuteMs = 60_000;
const yearMs = 365 * 24 * 60 * minuteMs;

/** Of a later run of the detector: its own clocks begin anew, those of the system go on. */
class LaterClocks extends HeldClocks {
  readonly bootId: string;
  readonly #bootMs: number;

  constructor(wallMs: number, bootMs: number, bootId: string) {
    super(wallMs);
    this.#bootMs = bootMs;
    this.bootId = bootId;
  }

  override bootMs(): number {
    return this.#bootMs + super.bootMs();
  }
}

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'turnwatch-restart-'));
  file = join(directory, 'turnwatch.db');
});
afterEach(() => rmSync(directory, { recursive: true }));

function agentsOf(count: number): ScriptedAgent[] {
  return Array.from({ length: count }, (_, n) => new ScriptedAgent(`t${n}`, { parentId: 'planner' }));
}

/** Every hundredth turn may take five minutes, the others an hour. */
async function startAll({ url }: RunningDetector, agents: readonly ScriptedAgent[]): Promise<void> {
  for (let from = 0; from < agents.length; from += 1000) {
    const batch = agents.slice(from, from + 1000).map((agent, n) => {
      agent.a = 1000;
      return agent.says({ name: 'started' }, 0, { expiresInMs: (n % 100 === 0 ? 5 : 60) * minuteMs });
    });
    expect((await post(url, batch)).status).toBe(200);
  }
}

async function beatAll({ url }: RunningDetector, agents: readonly ScriptedAgent[], a: number): Promise<void> {
  for (let from = 0; from < agents.length; from += 1000) {
    const batch = agents.slice(from, from + 1000).map((agent) => {
      agent.a = a;
      return agent.says({ name: 'heartbeat' });
    });
    expect((await post(url, batch)).status).toBe(200);
  }
}

function told(store: TurnStore): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { type } of store.eventsAfter(0, { managed: true }, 100_000))
    counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

/** The database as a process leaves it that is killed. */
function killed(): string {
  const left = join(directory, 'left.db');
  for (const end of ['', '-wal']) copyFileSync(file + end, left + end);
  return left;
}

function warnings(): { logger: Logger; said: string[] } {
  const said: string[] = [];
  return { said, logger: { ...silentLogger, warn: (_about: object, text: string) => void said.push(text) } };
}

test('ten thousand open turns after ten minutes down: horizons that passed expire at once and once, nobody is flagged', async () => {
  const agents = agentsOf(10_000);
  const first = await runDetector(
    {},
    { store: SqliteStore.open(file), clocks: new LaterClocks(startMs, 7 * minuteMs, 'boot') },
  );
  await startAll(first, agents);
  first.pass(10);
  const left = killed();

  const clocks = new LaterClocks(startMs + 10 * minuteMs, 17 * minuteMs, 'boot');
  const second = await runDetector({}, { store: SqliteStore.open(left), clocks });
  // Before anything was sent or any time has passed.
  expect(told(second.store)).toEqual({ 'turn.expired': 100 });
  const listed = await second.json('/v1/turns?state=running&limit=1');
  expect(listed.status).toBe(200);
  second.pass(8);
  await beatAll(
    second,
    agents.filter((_, n) => n % 100 !== 0),
    600_000,
  );
  second.pass(8);
  expect(told(second.store)).toEqual({ 'turn.expired': 100 });
  await second.detector.stop();

  const third = await runDetector(
    {},
    { store: SqliteStore.open(left), clocks: new LaterClocks(clocks.wallMs() + 1, 18 * minuteMs, 'boot') },
  );
  third.pass(5);
  expect(told(third.store)).toEqual({ 'turn.expired': 100 });
  await third.detector.stop();
  await first.detector.stop();
}, 60_000);

describe('a wall clock that was set while the detector was down', () => {
  const cases = [
    ['back a year, in one run of the system', -yearMs, 'boot', 3],
    ['on a year, in one run of the system', yearMs, 'boot', 3],
    ['back a year, over a reboot: no down time is counted', -yearMs, 'other', 0],
  ] as const;

  test.each(cases)('%s', async (_, setByMs, bootId, expired) => {
    const agents = agentsOf(300);
    const first = await runDetector(
      {},
      { store: SqliteStore.open(file), clocks: new LaterClocks(startMs, minuteMs, 'boot') },
    );
    await startAll(first, agents);
    const left = killed();
    await first.detector.stop();
    const { logger, said } = warnings();
    const bootMs = bootId === 'boot' ? 11 * minuteMs : 0;
    const clocks = new LaterClocks(startMs + 10 * minuteMs + setByMs, bootMs, bootId);
    const second = await runDetector({}, { store: SqliteStore.open(left), clocks, logger });
    expect(said).toContain('the wall clock was set; horizons do not follow it');
    second.pass(8);
    await beatAll(
      second,
      agents.filter((_each, n) => n % 100 !== 0),
      600_000,
    );
    second.pass(8);
    const events = told(second.store);
    expect(events).toEqual(expired === 0 ? {} : { 'turn.expired': expired });
    await second.detector.stop();
  });

  test('back: an event that waits for its next attempt is not held up for as long', async () => {
    const endpoints = [
      {
        id: 'down',
        url: 'http://127.0.0.1:9/hook',
        secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
      },
    ];
    const store = new MemoryStore();
    const first = await runDetector({ endpoints }, { store, clocks: new LaterClocks(startMs, 5, 'boot') });
    const agent = new ScriptedAgent('t1');
    agent.a = 1000;
    await post(first.url, [agent.says({ name: 'started' })]);
    agent.a = 4000;
    await post(first.url, [agent.says({ name: 'heartbeat' }, 3000)]);
    await expect.poll(() => store.deliveries({}, undefined, 1)[0]?.attempts).toBeGreaterThan(0);
    await first.detector.stop();
    const clocks = new LaterClocks(startMs - yearMs, 6, 'boot');
    expect(store.due('down', clocks.wallMs(), 9)).toEqual([]);
    const second = await runDetector({ endpoints: [] }, { store, clocks });
    expect(store.due('down', clocks.wallMs(), 9)).toHaveLength(1);
    await second.detector.stop();
  });
});

test('with the memory store nothing is there after a restart, and everything else is as ever', async () => {
  const first = await runDetector({}, { store: new MemoryStore() });
  await startAll(first, agentsOf(10));
  expect((await first.json('/healthz')).body).toMatchObject({ store: { ok: true, place: 'memory' } });
  first.pass(120);
  await first.detector.stop();
  const second = await runDetector({}, { store: new MemoryStore() });
  expect(await second.json('/v1/turns')).toMatchObject({ status: 200, body: { turns: [] } });
  await second.detector.stop();
});
