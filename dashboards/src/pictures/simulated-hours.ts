import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { EngineSignal, ProcessSignal } from '@turnwatch/core';
import type { WireRecord } from '@turnwatch/protocol';
import { signalToRecord } from '@turnwatch/protocol';
import { encodeLogsProtobuf } from '@turnwatch/protocol/otlp';
import { HeldClocks } from '../../../packages/detector/src/testing/held-time.ts';
import {
  type RunningDetector,
  runDetector,
} from '../../../packages/detector/src/testing/running-detector.ts';
import { ScriptedAgent } from '../../../packages/detector/src/testing/scripted-agent.ts';
import { WebhookSink } from '../../../packages/detector/src/testing/webhook-sink.ts';
import { ScriptedTurns } from '../../../packages/instrumentation/fixtures/scripted-turns.ts';
import { AgentScrape } from '../testing/agent-scrape.ts';
import { Chance } from './chance.ts';
import { EngineModel } from './engine-model.ts';
import { Gateway } from './gateway.ts';
import { openMetrics } from './open-metrics.ts';
import { type Worker, work } from './workload.ts';

export const scrapeEveryS = 15;
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const workers: readonly Worker[] = [
  ...Array.from({ length: 8 }, (_, n) => ({
    provider: 'openai',
    model: 'gpt-5',
    parentId: n < 5 ? 'planner' : 'reviewer',
  })),
  ...Array.from({ length: 5 }, () => ({
    provider: 'anthropic',
    model: 'claude-opus-4',
    parentId: 'planner',
  })),
  ...Array.from({ length: 3 }, () => ({
    provider: 'llama.cpp',
    model: 'qwen3',
    parentId: 'reviewer',
    route: 'local' as const,
  })),
];

/** What goes wrong, in minutes before the end. */
const troubles = {
  hostGone: [55, 51],
  gatewayGone: [43, 40],
  outage: [27, 17],
  hookGone: [25, 19],
  hostAsleep: 34,
  unusable: 12,
} as const;

interface Process {
  readonly turns: ScriptedTurns;
  readonly path: 'direct' | 'gateway';
}

/** A real detector and the real instrumentation of 16 agents, on clocks that are moved: hours pass in a minute or two. */
export class SimulatedHours {
  readonly startMs: number;
  readonly endMs: number;
  readonly #chance = new Chance(7);
  readonly #engine = new EngineModel();
  readonly #clocks: HeldClocks;
  readonly #processes: Process[] = [];
  readonly #probe = new ScriptedAgent('probe');
  #keptWaiting = 0;
  #minutesLeft = Number.POSITIVE_INFINITY;

  constructor(endMs: number, hours: number) {
    this.endMs = endMs;
    this.startMs = endMs - hours * 3_600_000;
    this.#clocks = new HeldClocks(this.startMs);
  }

  /** Writes what a Prometheus would have scraped, for `promtool tsdb create-blocks-from openmetrics`. */
  async play(file: string): Promise<void> {
    const scraped = createWriteStream(file);
    const [planner, reviewer] = [new WebhookSink(), new WebhookSink()];
    const agents = new AgentScrape();
    const agentsAt = await agents.listen();
    const gateway = new Gateway();
    const running = await this.#detector(
      await planner.listen(),
      await reviewer.listen(),
      await gateway.listen(),
    );
    gateway.to = running.url;
    for (const [index, worker] of workers.entries()) this.#employ(worker, index);
    for (let second = 0; this.#clocks.wallMs() < this.endMs; second++) {
      this.#minutesLeft = (this.endMs - this.#clocks.wallMs()) / 60_000;
      const hookGone = this.#during(troubles.hookGone);
      reviewer.answer = (response) => void response.writeHead(hookGone ? 503 : 204).end();
      gateway.open = !this.#during(troubles.gatewayGone);
      const lateMs = Math.round(this.#chance.tail(1, 40));
      this.#clocks.advance(1000 + lateMs);
      for (const { turns } of this.#processes) turns.pass(1000 + lateMs);
      await this.#send(running.url, gateway);
      running.detector.tick();
      await this.#arrivals(running);
      if (second % scrapeEveryS !== 0) continue;
      const at = Math.floor(this.#clocks.wallMs() / 1000);
      scraped.write(openMetrics(await textOf(`${running.url}/metrics`), 'turnwatch', 'detector:4318', at));
      scraped.write(openMetrics(await textOf(`http://${agentsAt}/metrics`), 'agents', 'collector:8889', at));
      scraped.write(openMetrics(gateway.scraped, 'collector', 'collector:8888', at));
    }
    scraped.end('# EOF\n');
    await once(scraped, 'finish');
    await running.detector.stop();
    await Promise.all([planner.close(), reviewer.close(), agents.close(), gateway.close()]);
  }

  #detector(planner: string, reviewer: string, gateway: string): Promise<RunningDetector> {
    return runDetector(
      {
        // These agents beat from their main thread: hosts like theirs have ten minutes else.
        policy: { preset: 'measured', unreachableMs: { portable: 60_000 } },
        endpoints: [
          { id: 'planner', url: planner, secrets: [secret], match: { parent: 'planner' } },
          { id: 'reviewer', url: reviewer, secrets: [secret], match: { parent: 'reviewer' } },
        ],
        webhook: { allowPrivate: ['127.0.0.0/8'] },
        canary: { routes: [{ path: 'gateway', url: gateway }] },
      },
      { clocks: this.#clocks },
    );
  }

  /** Probes and webhooks are on their way in real time: what is new has some of it, what is to be tried again has not. */
  async #arrivals({ store }: RunningDetector): Promise<void> {
    const waiting = (): number => [...store.backlog().values()].reduce((sum, count) => sum + count, 0);
    await new Promise((resolve) => setTimeout(resolve, 1));
    for (let waitedMs = 0; waitedMs < 500 && waiting() > this.#keptWaiting; waitedMs += 10)
      await new Promise((resolve) => setTimeout(resolve, 10));
    this.#keptWaiting = waiting();
  }

  #employ(worker: Worker, index: number): void {
    let ids = 0;
    const turns = new ScriptedTurns({
      processId: `agent-${index}`,
      bootId: `boot-${index}`,
      newId: () => `${index}-${++ids}`,
    });
    turns.wallStepMs = this.startMs - turns.startWallMs;
    const working = work(turns, worker, {
      chance: this.#chance,
      engine: this.#engine,
      stalls: (provider) => this.#stalls(provider),
    });
    const goOn = (): void => {
      const { value } = working.next();
      if (value !== undefined) turns.timers.after(value, goOn);
    };
    goOn();
    this.#processes.push({ turns, path: index % 2 === 0 ? 'direct' : 'gateway' });
  }

  #stalls(provider: string): number {
    if (this.#minutesLeft < 6 && this.#minutesLeft > 3) return provider === 'anthropic' ? 0.5 : 0.02;
    if (provider === 'openai' && this.#during(troubles.outage)) return 0.8;
    return 0.002;
  }

  #during([from, to]: readonly [number, number]): boolean {
    return this.#minutesLeft < from && this.#minutesLeft >= to;
  }

  async #send(url: string, gateway: Gateway): Promise<void> {
    const records: Record<Process['path'], WireRecord[]> = { direct: [this.#engineRecord()], gateway: [] };
    for (const [index, { turns, path }] of this.#processes.entries()) {
      const emitted = turns.emitted.splice(0) as unknown as (Omit<WireRecord, 'timeMs'> & {
        timestamp: Date;
      })[];
      if (index === 3 && this.#during(troubles.hostGone)) continue;
      for (const { eventName, attributes, timestamp } of emitted)
        records[path].push({ eventName, attributes, timeMs: timestamp.getTime() });
    }
    const before = this.#minutesLeft + 1 / 60;
    if (this.#minutesLeft <= troubles.hostAsleep && before > troubles.hostAsleep)
      records.direct.push(
        signalToRecord(this.#now({ ...this.#probe.beat([]), name: 'suspending' } as ProcessSignal)),
      );
    if (this.#minutesLeft <= troubles.unusable && before > troubles.unusable)
      records.direct.push({ eventName: 'turnwatch.turn.heartbeat', timeMs: 0, attributes: {} });
    gateway.take(records.gateway);
    await Promise.all([post(url, records.direct), gateway.flush()]);
  }

  #engineRecord(): WireRecord {
    const { origin } = this.#probe.beat([]);
    const signal: EngineSignal = { type: 'engine', origin, engine: 'local', ...this.#engine.told };
    return signalToRecord(this.#now(signal));
  }

  #now<T extends { readonly origin: ProcessSignal['origin'] }>(signal: T): T {
    return {
      ...signal,
      origin: { ...signal.origin, a: this.#clocks.monoMs(), wallMs: this.#clocks.wallMs() },
    };
  }
}

async function textOf(url: string): Promise<string> {
  return (await fetch(url)).text();
}

async function post(url: string, records: readonly WireRecord[]): Promise<void> {
  const body = new Uint8Array(encodeLogsProtobuf(records));
  const headers = { 'content-type': 'application/x-protobuf' };
  await (await fetch(`${url}/v1/logs`, { method: 'POST', headers, body })).arrayBuffer();
}
