import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { deliveryList } from '@turnwatch/protocol';
import { generateSecret } from '@turnwatch/webhook/receive';
import { scratchFolder } from '../script/scratch-folder.ts';
import { CrowdServer, type Manner } from './crowd-server.ts';
import { DetectorProcess } from './detector-process.ts';
import { hasty, post, stalledTurn } from './stalled-turn.ts';

export interface CrowdOptions {
  readonly endpoints: number;
  readonly hang: number;
  readonly fail: number;
  readonly endless: number;
  /** Stalled turns a parent. */
  readonly eventsEach: number;
  /** Verdicts a second; `Infinity`: all at once. */
  readonly perSecond: number;
}

export interface CrowdResult {
  readonly healthyEndpoints: number;
  /** Events for them; all have arrived. */
  readonly healthyEvents: number;
  /** Events of the others that have not been delivered: kept. */
  readonly kept: Readonly<Record<string, number>>;
  /** POSTs that hung at one time, at most. */
  readonly mostHanging: number;
  readonly posts: Readonly<Record<Manner, number>>;
  /** From the verdict's row in the outbox to the first byte at the healthy endpoints, ms. */
  readonly delayMs: { readonly p50: number; readonly p99: number; readonly max: number };
  readonly seconds: number;
  /** Resident memory of the detector; NaN where the system does not say. */
  readonly rssMb: { readonly before: number; readonly most: number; readonly after: number };
  readonly endlessMb: number;
}

/** One detector, many endpoints, some of which do their worst; every parent's turns go stale. */
export async function crowd(options: CrowdOptions): Promise<CrowdResult> {
  const [directory, removeScratch] = scratchFolder('turnwatch-crowd-');
  const server = await CrowdServer.start();
  const manners = mannersOf(options);
  const secret = generateSecret();
  const file = join(directory, 'turnwatch.json');
  const detector = {
    listen: { port: 0 },
    store: { file: join(directory, 'turnwatch.db') },
    policy: hasty,
    endpoints: manners.map((manner, n) => ({
      id: `e${n}`,
      url: server.url(manner, `e${n}`),
      secret,
      match: { parent: `parent_${n}` },
    })),
    webhook: { allowLoopback: true },
    log: { level: 'error' },
  };
  writeFileSync(file, JSON.stringify({ detector }));
  const running = DetectorProcess.start(file);
  try {
    const url = await running.ready;
    const rss = new ResidentMemory(running.pid);
    const startedMs = Date.now();
    await stallAll(url, options);
    const healthy = manners.filter((manner) => manner === 'healthy').length;
    const wanted = healthy * options.eventsEach;
    await server.until(() => server.posts.healthy >= wanted);
    const seconds = (Date.now() - startedMs) / 1000;
    const rows = await deliveries(url);
    const kept: Record<string, number> = {};
    const delays: number[] = [];
    for (const { event, endpoint, queuedAt, state } of rows) {
      const manner = manners[Number(endpoint.slice(1))] ?? 'healthy';
      if (manner !== 'healthy') {
        if (state === 'pending') kept[manner] = (kept[manner] ?? 0) + 1;
        continue;
      }
      const arrival = server.arrivals.get(`${event}:${endpoint}`);
      if (arrival === undefined) throw new Error(`${event} has not arrived at ${endpoint}`);
      delays.push(arrival.atMs - Date.parse(queuedAt));
    }
    if (delays.length !== wanted)
      throw new Error(`${delays.length} events for healthy endpoints, not ${wanted}`);
    delays.sort((a, b) => a - b);
    const at = (share: number): number =>
      delays[Math.min(delays.length - 1, Math.floor(share * delays.length))] ?? 0;
    return {
      healthyEndpoints: healthy,
      healthyEvents: wanted,
      kept,
      mostHanging: server.mostHanging,
      posts: { ...server.posts },
      delayMs: { p50: at(0.5), p99: at(0.99), max: at(1) },
      seconds,
      rssMb: rss.stop(),
      endlessMb: server.endlessBytes / 1e6,
    };
  } finally {
    await running.end('SIGKILL');
    await server.stop();
    removeScratch();
  }
}

function mannersOf({ endpoints, hang, fail, endless }: CrowdOptions): readonly Manner[] {
  const bad: Manner[] = [
    ...Array<Manner>(hang).fill('hangs'),
    ...Array<Manner>(fail).fill('fails'),
    ...Array<Manner>(endless).fill('endless'),
  ];
  // The bad ones come first: they are the first whose turn it is.
  return [...bad, ...Array<Manner>(endpoints - bad.length).fill('healthy')];
}

async function stallAll(url: string, { endpoints, eventsEach, perSecond }: CrowdOptions): Promise<void> {
  const everyMs = 50;
  const batch = Math.max(1, Math.round((perSecond * everyMs) / 1000));
  const turns = Array.from({ length: endpoints * eventsEach }, (_, n) =>
    stalledTurn(`turn_${n}`, `parent_${n % endpoints}`),
  );
  let nextMs = Date.now();
  for (let first = 0; first < turns.length; first += batch) {
    const records = turns.slice(first, first + batch).flatMap((turn) => turn.records);
    const response = await post(url, records);
    if (response.status !== 200) throw new Error(`the detector answered ${response.status}`);
    await response.arrayBuffer();
    nextMs += everyMs;
    await delay(Math.max(0, nextMs - Date.now()));
  }
}

async function deliveries(url: string) {
  const all = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const response = await fetch(`${url}/v1/deliveries?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`);
    const page = deliveryList.parse(await response.json());
    all.push(...page.deliveries);
    cursor = page.nextCursor;
  }
  return all;
}

/** Looks at a process's resident memory four times a second (Linux). */
class ResidentMemory {
  readonly #pid: number;
  readonly #before: number;
  readonly #timer: NodeJS.Timeout;
  #most: number;

  constructor(pid: number) {
    this.#pid = pid;
    this.#before = this.#read();
    this.#most = this.#before;
    this.#timer = setInterval(() => {
      this.#most = Math.max(this.#most, this.#read());
    }, 250);
  }

  stop(): { before: number; most: number; after: number } {
    clearInterval(this.#timer);
    const after = this.#read();
    return { before: this.#before, most: Math.max(this.#most, after), after };
  }

  #read(): number {
    if (process.platform !== 'linux') return Number.NaN;
    const [, kb] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.#pid}/status`, 'utf8')) ?? [];
    return Number(kb) / 1024;
  }
}
