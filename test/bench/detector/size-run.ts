import { setTimeout as delay } from 'node:timers/promises';
import { Child } from './child.ts';
import type { LoadSaid } from './load-agent.ts';
import type { ParentSaid } from './parent.ts';
import { usageOf } from './process-usage.ts';
import { type Receiver, type RunningReceiver, stalls } from './receiver.ts';
import type { AgentSaid } from './stalling-agent.ts';

export interface SizeOptions {
  readonly turns: number;
  /** How long the load runs before anything is measured. */
  readonly warmUpMs: number;
  /** How long the CPU is measured, under the load alone. */
  readonly cpuMs: number;
  /** Turns of a real agent that stop afterwards, under the same load. */
  readonly stalled: number;
  /** Within what time they stop. */
  readonly stallMs: number;
}

/** What one receiver made of so many running turns at 1 Hz. */
export interface SizeResult {
  readonly turns: number;
  readonly windowMs: number;
  /** Acknowledged in the window. */
  readonly records: number;
  readonly bytes: number;
  readonly failures: number;
  readonly skipped: number;
  /** CPU time of the receiver in the window. */
  readonly cpuMs: number;
  readonly loadCpuMs: number;
  readonly residentBytes: number;
  /** Of the heap, over what it was before the first turn. */
  readonly heapBytesATurn: number | undefined;
  /** From the last chunk to the parent's handler, each stalled turn; empty for one that tells of none. */
  readonly detectionMs: readonly number[];
  /** Stalled turns that nobody was told of, and events that nobody should have been told of. */
  readonly missed: number;
  readonly unasked: number;
}

/** A verdict that takes longer than this is missed. */
const patienceMs = 15_000;

export async function runSize(receiver: Receiver, options: SizeOptions): Promise<SizeResult> {
  const parent = new Child<ParentSaid>('parent.ts');
  let running: RunningReceiver | undefined;
  const others: { end(): Promise<void> }[] = [parent];
  try {
    running = await receiver.start((await parent.hear('listens')).url);
    const emptyBytes = await running.heapBytes();
    const load = new Child<LoadSaid>('load-agent.ts', { args: [running.url, String(options.turns)] });
    others.push(load);
    await load.hear('begun');
    await delay(options.warmUpMs);
    const before = await look(running, load);
    await delay(options.cpuMs);
    const after = await look(running, load);
    const lastMs = receiver.detects ? await stall(running.url, options, others) : {};
    const heard = await untilTold(parent, Object.keys(lastMs).length);
    const heapBytes = await running.heapBytes();
    const detectionMs = Object.entries(lastMs).flatMap(([turn, ms]) => {
      const atMs = heard.atMs[turn];
      return atMs === undefined ? [] : [atMs - ms];
    });
    return {
      turns: options.turns,
      windowMs: after.atMs - before.atMs,
      records: after.counts.records - before.counts.records,
      bytes: after.counts.bytes - before.counts.bytes,
      failures: after.counts.failures - before.counts.failures,
      skipped: after.counts.skipped - before.counts.skipped,
      cpuMs: after.usage.cpuMs - before.usage.cpuMs,
      loadCpuMs: after.loadCpuMs - before.loadCpuMs,
      residentBytes: after.usage.residentBytes,
      heapBytesATurn:
        heapBytes === undefined || emptyBytes === undefined
          ? undefined
          : (heapBytes - emptyBytes) / options.turns,
      detectionMs,
      missed: Object.keys(lastMs).length - detectionMs.length,
      unasked: heard.others,
    };
  } finally {
    for (const other of others.reverse()) await other.end();
    await running?.stop();
  }
}

/** The last chunk of each turn that stopped. Its agent lives on, or its exit would be the verdict. */
async function stall(
  url: string,
  { stalled, stallMs }: SizeOptions,
  others: { end(): Promise<void> }[],
): Promise<Readonly<Record<string, number>>> {
  const agent = new Child<AgentSaid>('stalling-agent.ts', { args: [url, String(stalled), String(stallMs)] });
  others.push(agent);
  return (await agent.hear('stopped')).lastMs;
}

async function look(running: RunningReceiver, load: Child<LoadSaid>) {
  const counts = await load.ask({ kind: 'counts?' }, 'counts');
  return {
    atMs: performance.now(),
    counts,
    usage: usageOf(running.pid),
    loadCpuMs: usageOf(load.pid).cpuMs,
  };
}

async function untilTold(
  parent: Child<ParentSaid>,
  turns: number,
): Promise<Extract<ParentSaid, { readonly kind: 'heard' }>> {
  const untilMs = performance.now() + stalls.thresholdMs + stalls.confirmMs + patienceMs;
  for (;;) {
    const heard = await parent.ask({ kind: 'heard?' }, 'heard');
    if (Object.keys(heard.atMs).length >= turns || performance.now() > untilMs) return heard;
    await delay(200);
  }
}
