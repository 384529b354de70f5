import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { deliveryList, eventPage } from '@turnwatch/protocol';
import { generateSecret } from '@turnwatch/webhook/receive';
import { scratchFolder } from '../script/scratch-folder.ts';
import { DetectorProcess, freePort } from './detector-process.ts';
import { seededRandom } from './seeded-random.ts';
import { ShakyParent } from './shaky-parent.ts';
import { hasty } from './stalled-turn.ts';
import { StallingAgents } from './stalling-agents.ts';

/** For the last retries after the last kill: then what is missing is named instead of waited for. */
const patienceMs = 30_000;

export interface KillOptions {
  readonly rounds: number;
  readonly seed: number;
  /** A round is over. */
  readonly onRound?: (round: number, verdicts: number) => void;
}

export interface KillResult {
  /** Ids of the detector's own feed, at the end. */
  readonly verdicts: number;
  readonly stalledTurns: number;
  readonly recoveredTurns: number;
  readonly posts: number;
  /** Doubles that reached the receiver and went no further. */
  readonly doubles: number;
  readonly kills: {
    readonly beforeItListened: number;
    /** With a POST under way that had no answer. */
    readonly duringPost: number;
    /** With a verdict that was acknowledged and not heard. */
    readonly withUnheard: number;
  };
  /** What must not be: each a sentence. */
  readonly faults: readonly string[];
}

/** Kills a detector again and again while turns go stale, and compares what it decided with what its parent heard. */
export async function killRounds({ rounds, seed, onRound }: KillOptions): Promise<KillResult> {
  const random = seededRandom(seed);
  const [directory, removeScratch] = scratchFolder('turnwatch-kills-');
  const secret = generateSecret();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const parent = await ShakyParent.start(directory, secret, seededRandom(seed + 1));
  const agents = new StallingAgents(url, parent, seededRandom(seed + 2));
  const file = join(directory, 'turnwatch.json');
  const detector = {
    listen: { port },
    store: { file: join(directory, 'turnwatch.db') },
    policy: hasty,
    endpoints: [{ id: 'parent', url: parent.url, secret }],
    log: { level: 'warn' },
  };
  writeFileSync(file, JSON.stringify({ detector }));
  const kills = { beforeItListened: 0, duringPost: 0, withUnheard: 0 };
  let running = DetectorProcess.start(file);
  try {
    await running.ready;
    agents.start(4);
    for (let round = 1; round <= rounds; round++) {
      let listens = false;
      const ready = running.ready.then(() => {
        listens = true;
      });
      // Most often some time into its work, now and then while it is still reading its store.
      if (random() < 0.85) await ready;
      await delay(Math.floor(random() * 400));
      if (!listens) kills.beforeItListened++;
      if (parent.unanswered > 0) kills.duringPost++;
      if (agents.unheard > 0) kills.withUnheard++;
      // The process that has ended by itself was not killed: that is a fault, and `ready` has its words.
      if (running.ended) await running.ready;
      ready.catch(() => undefined);
      await running.end('SIGKILL');
      running = DetectorProcess.start(file);
      onRound?.(round, agents.stalled.length);
    }
    await running.ready;
    await agents.stop(patienceMs);
    const untilMs = Date.now() + patienceMs;
    while ((await pending(url)) > 0 && Date.now() < untilMs) await delay(50);
    const told = await feed(url);
    await running.end('SIGTERM');
    return {
      verdicts: told.length,
      stalledTurns: agents.stalled.length,
      recoveredTurns: agents.recovered.length,
      posts: parent.posts,
      doubles: parent.stats.duplicates,
      kills,
      faults: faultsOf(told, agents, parent),
    };
  } finally {
    await running.end('SIGKILL');
    await parent.stop();
    removeScratch();
  }
}

function faultsOf(
  told: readonly { readonly id: string; readonly type: string; readonly subject?: string }[],
  agents: StallingAgents,
  parent: ShakyParent,
): string[] {
  const faults = parent.faults.map(String);
  const times = new Map<string, number>();
  for (const id of parent.handled) times.set(id, (times.get(id) ?? 0) + 1);
  for (const { id, type, subject } of told)
    if (!times.has(id)) faults.push(`${id}, ${type} of ${subject}, was never handled`);
  const known = new Set(told.map(({ id }) => id));
  for (const [id, count] of times) {
    if (count > 1) faults.push(`${id} was handled ${count} times`);
    if (!known.has(id)) faults.push(`${id} was handled and is not in the detector's feed`);
  }
  for (const [id, bodies] of parent.bodies)
    if (bodies.size > 1) faults.push(`${id} came with ${bodies.size} different bodies`);
  // What the agents know by themselves, apart from the detector's own book.
  const wanted = [
    ...agents.stalled.map((turn) => `turn.stale ${turn}`),
    ...agents.recovered.map((turn) => `turn.recovered ${turn}`),
  ].sort();
  const got = told.map(({ type, subject }) => `${type} ${subject}`).sort();
  const wantedOnce = new Set(wanted);
  for (const one of got)
    if (!wantedOnce.delete(one)) faults.push(`the detector told ${one} twice or unasked`);
  for (const one of wantedOnce) faults.push(`${one} was acknowledged and never decided`);
  return faults;
}

async function pending(url: string): Promise<number> {
  const response = await fetch(`${url}/v1/deliveries?state=pending&limit=1`);
  return deliveryList.parse(await response.json()).deliveries.length;
}

async function feed(url: string) {
  const all = [];
  for (let after = '0'; ; ) {
    const response = await fetch(`${url}/v1/events?after=${after}&limit=1000`);
    const page = eventPage.parse(await response.json());
    all.push(...page.events);
    if (!page.more) return all;
    after = page.nextCursor;
  }
}
