import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makePolicy, Registry, type Signal } from '@turnwatch/core';
import { SqliteStore, silentLogger } from '@turnwatch/detector';
import { Owners } from '../../packages/detector/src/access/owners.ts';
import { sliceTurns } from '../../packages/detector/src/pipeline/changes.ts';
import { Pipeline } from '../../packages/detector/src/pipeline/pipeline.ts';
import { Teller } from '../../packages/detector/src/pipeline/teller.ts';
import { freePort } from '../webhooks/detector-process.ts';
import { ServeProcess } from '../webhooks/serve-process.ts';
import { Load } from './load.ts';
import { type Measurement, median, quantile, type Report } from './measurement.ts';
import type { Meter } from './meter.ts';

export interface StoreBenchOptions {
  /** Running turns, each with a heartbeat a second. */
  readonly turns: number;
  readonly seconds: number;
  /** Open turns of the restarts. */
  readonly restarted: readonly number[];
  readonly restarts: number;
}

export const usualStore: StoreBenchOptions = {
  turns: 100_000,
  seconds: 20,
  restarted: [10_000, 100_000],
  restarts: 3,
};
export const smokeStore: StoreBenchOptions = { turns: 200, seconds: 6, restarted: [100], restarts: 1 };

const checkpointSeconds = 5;

/** What the SQLite store costs beneath many running turns, and how long a restart takes. */
export async function benchStore(options: StoreBenchOptions, meter: Meter): Promise<Report> {
  const directory = mkdtempSync(join(tmpdir(), 'turnwatch-bench-store-'));
  try {
    const running = benchRunning(options, join(directory, 'running.db'), meter);
    const restarts: Measurement[] = [];
    for (const turns of options.restarted)
      restarts.push(...(await benchRestart(turns, options.restarts, directory, meter)));
    return {
      measurements: [...running, ...restarts],
      notes: [
        `Every turn has a heartbeat a second; a checkpoint begins every ${checkpointSeconds} s and writes ${sliceTurns} turns a tick.`,
        'Without decoding and HTTP. A start is one transaction with fsync while all other turns have moved.',
        'A restart is the whole of turnwatch serve, from the start of the process to its first answer 200 at /readyz, by ' +
          'which time it has judged every turn once.',
      ],
    };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function benchRunning(options: StoreBenchOptions, file: string, meter: Meter): Measurement[] {
  meter.collect();
  const emptyBytes = meter.heapBytes();
  const load = new Load(options.turns);
  const { pipeline, store } = pipelineOn(file, load);
  for (const batch of load.starts()) take(pipeline, batch);
  const heartbeats: number[] = [];
  const slices: number[] = [];
  const idle: number[] = [];
  const starts: number[] = [];
  const timed = (into: number[], work: () => void): void => {
    const fromMs = meter.nowMs();
    work();
    into.push(meter.nowMs() - fromMs);
  };
  let walBytes = 0;
  for (let second = 1; second <= options.seconds; second++) {
    load.later(1000);
    const batches = [...load.beats()];
    timed(heartbeats, () => {
      for (const batch of batches) take(pipeline, batch);
    });
    timed(starts, () => take(pipeline, load.newcomer()));
    timed(slices, () => pipeline.run({ tick: true, checkpoint: second % checkpointSeconds === 0 }));
    timed(idle, () => pipeline.run());
    walBytes = Math.max(walBytes, statSync(`${file}-wal`).size);
  }
  meter.collect();
  const heapBytes = meter.heapBytes() - emptyBytes;
  pipeline.close();
  store.close();
  const of = `${options.turns} running turns`;
  // The seconds before the first checkpoint write nothing.
  const written = slices.slice(checkpointSeconds - 1);
  return [
    {
      name: `heartbeats of a second merged and judged, ${of}, median`,
      value: median(heartbeats),
      unit: 'ms',
    },
    {
      name: `tick, nothing due, ${of}, median`,
      value: median(idle),
      unit: 'ms',
      limit: options.turns / 20_000,
    },
    { name: `tick with a slice of the checkpoint, ${of}, median`, value: median(written), unit: 'ms' },
    {
      name: `tick with a slice of the checkpoint, ${of}, worst`,
      value: quantile(written, 1),
      unit: 'ms',
      limit: 500,
    },
    {
      name: `ticks until every turn is written, ${of}`,
      value: Math.ceil(options.turns / sliceTurns),
      unit: '',
    },
    { name: `a start, kept with fsync, ${of}, median`, value: median(starts), unit: 'ms' },
    { name: `a start, kept with fsync, ${of}, p95`, value: quantile(starts, 0.95), unit: 'ms', limit: 100 },
    { name: `database, ${of}`, value: statSync(file).size / 1e6, unit: 'MB' },
    { name: `journal at most, ${of}`, value: walBytes / 1e6, unit: 'MB', limit: 70 },
    { name: `heap a running turn with the store, ${of}`, value: heapBytes / options.turns, unit: 'B' },
  ];
}

function pipelineOn(file: string, load: Load): { pipeline: Pipeline; store: SqliteStore } {
  const store = SqliteStore.open(file);
  const pipeline = new Pipeline({
    registry: new Registry(makePolicy(), load.now),
    store,
    teller: new Teller({ endpoints: () => [], source: 'bench', sequence: 0 }),
    now: () => load.now,
    soon: () => undefined,
    logger: silentLogger,
    onEvent: () => undefined,
    owners: new Owners([], [], { maxTurns: 1e7, maxTurnsPerOwner: 1e7 }),
    onMerge: () => undefined,
    onForgotten: () => undefined,
    onEffect: () => undefined,
    onQueued: () => undefined,
    onKept: () => undefined,
  });
  return { pipeline, store };
}

function take(pipeline: Pipeline, batch: readonly Signal[]): void {
  const answer = pipeline.submit(batch, 'direct');
  pipeline.run();
  // It throws where the store refuses; here that would end the benchmark by itself.
  answer.catch(() => undefined);
}

async function benchRestart(
  turns: number,
  times: number,
  directory: string,
  meter: Meter,
): Promise<Measurement[]> {
  const file = join(directory, `restart-${turns}.db`);
  // As of now: its horizons are an hour away, and the detector that comes back reads them by the real clock.
  const load = new Load(turns, Date.now());
  const { pipeline, store } = pipelineOn(file, load);
  for (const batch of load.starts()) take(pipeline, batch);
  load.later(1000);
  for (const batch of load.beats()) take(pipeline, batch);
  pipeline.close();
  store.close();
  const port = await freePort();
  const config = join(directory, `restart-${turns}.json`);
  const detector = { listen: { port }, store: { file }, log: { level: 'warn' } };
  writeFileSync(config, JSON.stringify({ detector }));
  const tookMs: number[] = [];
  for (let n = 0; n < times; n++) {
    const fromMs = meter.nowMs();
    const serve = new ServeProcess(config);
    try {
      while (!(await isReady(port))) {
        if (serve.hasEnded) throw new Error(`it ended:\n${serve.output}`);
        await delay(5);
      }
      tookMs.push(meter.nowMs() - fromMs);
      const open = await openTurns(port);
      if (open !== turns) throw new Error(`${open} turns are open, not ${turns}`);
    } finally {
      await serve.end('SIGKILL');
    }
  }
  const of = `${turns} open turns`;
  return [
    {
      name: `restart of the process, ${of}, median`,
      value: median(tookMs),
      unit: 'ms',
      ...(turns <= 10_000 ? { limit: 2000 } : {}),
    },
    { name: `restart of the process, ${of}, worst`, value: quantile(tookMs, 1), unit: 'ms' },
  ];
}

function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ status }) => status === 200,
    () => false,
  );
}

/** By the detector's own metrics: turns that it holds running. */
async function openTurns(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const [, running = 'NaN'] = /^turnwatch_turns\{[^}]*state="running"[^}]*\} (\d+)/m.exec(text) ?? [];
  return Number(running);
}
