import { copyFileSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import type { SmallDisk } from '../../packages/detector/src/testing/small-disk.ts';
import { scratchFolder } from '../script/scratch-folder.ts';
import { BusyAgents } from './busy-agents.ts';
import { freePort } from './detector-process.ts';
import { seededRandom } from './seeded-random.ts';
import { ServeProcess } from './serve-process.ts';
import { hasty } from './stalled-turn.ts';

const recoversWithinMs = 5000;

export interface CrashOptions {
  readonly rounds: number;
  readonly seed: number;
  /** Keep the database there and let it be full half of the time. */
  readonly disk?: SmallDisk;
  readonly onRound?: (round: number, result: CrashResult) => void;
}

export interface CrashResult {
  kills: number;
  /** Kills before it listened. */
  early: number;
  /** Kills while the disk was full. */
  whileFull: number;
  /** Starts that refused because the disk was full, with those words. */
  refusedStarts: number;
  /** How long after there was room again a start was acknowledged, ms. */
  recoveredMs: number[];
  /** From the start of the process to being up, ms. */
  upMs: number[];
  started: number;
  ended: number;
  stalled: number;
  verdictsSeen: number;
  answers: Record<string, number>;
  /** What must not be: each a sentence. */
  faults: string[];
}

/** Kills `turnwatch serve` under load, again and again, and looks for everything it had acknowledged in what is left. */
export async function crashRounds({ rounds, seed, disk, onRound }: CrashOptions): Promise<CrashResult> {
  const random = seededRandom(seed);
  const [scratch, removeScratch] = scratchFolder('turnwatch-crash-');
  const database = join(disk?.path ?? scratch, 'turnwatch.db');
  const port = await freePort();
  const config = join(scratch, 'turnwatch.json');
  const detector = {
    listen: { port },
    store: { file: database },
    policy: hasty,
    log: { level: 'warn' },
  };
  writeFileSync(config, JSON.stringify({ detector }));
  const agents = new BusyAgents(`http://127.0.0.1:${port}`, seededRandom(seed + 1));
  const result: CrashResult = {
    kills: 0,
    early: 0,
    whileFull: 0,
    refusedStarts: 0,
    recoveredMs: [],
    upMs: [],
    started: 0,
    ended: 0,
    stalled: 0,
    verdictsSeen: 0,
    answers: {},
    faults: [],
  };
  let serve = new ServeProcess(config);
  const restart = async (): Promise<void> => {
    serve = new ServeProcess(config);
    while (!(await serve.up())) {
      if (disk?.full !== true || !serve.output.includes('the disk is full'))
        throw new Error(`it did not come up:\n${serve.output}`);
      result.refusedStarts++;
      disk.free();
      serve = new ServeProcess(config);
    }
    result.upMs.push(Math.round(performance.now() - serve.startedMs));
  };
  try {
    if (!(await serve.up())) throw new Error(`it did not come up:\n${serve.output}`);
    agents.start(8);
    for (let round = 1; round <= rounds; round++) {
      if (disk !== undefined) await changeDisk(disk, agents, random, result);
      await delay(100 + Math.floor(random() * 700));
      if (serve.hasEnded) throw new Error(`it ended by itself:\n${serve.output}`);
      await serve.end('SIGKILL');
      result.kills++;
      if (disk?.full === true) result.whileFull++;
      result.faults.push(...lost(database, scratch, agents).map((fault) => `round ${round}: ${fault}`));
      // Now and then it is killed before it has read its store.
      if (random() < 0.15 && disk?.full !== true) {
        serve = new ServeProcess(config);
        await delay(random() * 900);
        if (!serve.isUp) result.early++;
        await serve.end('SIGKILL');
        result.kills++;
        result.faults.push(
          ...lost(database, scratch, agents).map((fault) => `round ${round}, early: ${fault}`),
        );
      }
      await restart();
      count(result, agents);
      onRound?.(round, result);
      if (result.faults.length > 0) break;
    }
    disk?.free();
    await agents.stop();
    while (await agents.read());
    await serve.end('SIGTERM');
    result.faults.push(...lost(database, scratch, agents).map((fault) => `at the end: ${fault}`));
    count(result, agents);
    return result;
  } finally {
    await serve.end('SIGKILL');
    removeScratch();
  }
}

function count(result: CrashResult, agents: BusyAgents): void {
  result.started = agents.started.size;
  result.ended = agents.ended.size;
  result.stalled = agents.stalled.size;
  result.verdictsSeen = agents.seen.size;
  result.answers = Object.fromEntries(agents.answers);
}

/** Full or not, evenly; and where it gets room again, until a start is acknowledged again. */
async function changeDisk(
  disk: SmallDisk,
  agents: BusyAgents,
  random: () => number,
  result: CrashResult,
): Promise<void> {
  if (random() < 0.5) {
    disk.fill();
    return;
  }
  if (!disk.full) return;
  disk.free();
  const before = agents.started.size;
  const fromMs = performance.now();
  while (agents.started.size === before && performance.now() - fromMs < recoversWithinMs) await delay(5);
  const tookMs = Math.round(performance.now() - fromMs);
  if (agents.started.size === before)
    result.faults.push(`there was room for ${tookMs} ms and nothing was taken`);
  else result.recoveredMs.push(tookMs);
}

/** In a copy, so that the detector itself has to recover the original. */
function lost(database: string, scratch: string, agents: BusyAgents): string[] {
  const copy = join(scratch, 'copy.db');
  for (const end of ['', '-wal', '-shm']) rmSync(copy + end, { force: true });
  for (const end of ['', '-wal']) if (existsSync(database + end)) copyFileSync(database + end, copy + end);
  const opened = new DatabaseSync(copy);
  const faults: string[] = [];
  const integrity = opened.prepare('PRAGMA integrity_check').all();
  if (integrity.length !== 1 || integrity[0]?.integrity_check !== 'ok')
    faults.push(`integrity_check says ${JSON.stringify(integrity)}`);
  const states = new Map(
    opened
      .prepare(`SELECT id, json_extract(saved, '$.turn.verdict.state') AS state FROM turns`)
      .all()
      .map(({ id, state }) => [String(id), String(state)]),
  );
  const events = new Map(
    opened
      .prepare('SELECT id, type, turn_id FROM events')
      .all()
      .map(({ id, type, turn_id }) => [String(id), `${type} ${turn_id}`]),
  );
  opened.close();
  const told = new Set(events.values());
  for (const turn of agents.started) if (!states.has(turn)) faults.push(`the start of ${turn} is lost`);
  for (const turn of agents.ended)
    if (states.get(turn) !== 'ended') faults.push(`the end of ${turn} is lost: ${states.get(turn)}`);
  for (const turn of agents.stalled)
    if (!told.has(`turn.stale ${turn}`)) faults.push(`the verdict on ${turn} is lost`);
  for (const [id, what] of agents.seen)
    if (events.get(id) !== what) faults.push(`${what} (${id}) was read from the feed and is lost`);
  return faults;
}
