import { makePolicy, type Now, Registry, type Signal } from '@turnwatch/core';
import { decodeRecord } from '@turnwatch/protocol';
import { decodeLogsProtobuf, encodeLogsProtobuf } from '@turnwatch/protocol/otlp';
import { signalToRecord } from '@turnwatch/protocol/wire';
import { Load, turnsPerProcess } from './load.ts';
import { type Measurement, median, quantile } from './measurement.ts';
import type { Meter } from './meter.ts';

export interface CoreBenchOptions {
  /** Running turns of the large runs, each measured by itself. */
  readonly sizes: readonly number[];
  readonly ticks: number;
  readonly heartbeats: number;
  readonly restored: number;
}

export const usualCore: CoreBenchOptions = {
  sizes: [100_000, 1_000_000],
  ticks: 200,
  heartbeats: 20_000,
  restored: 10_000,
};

export const smokeCore: CoreBenchOptions = { sizes: [200], ticks: 3, heartbeats: 200, restored: 100 };

const warmUpTicks = 20;

/** What the core costs: ticks over many running turns, heartbeats, memory and a restart. */
export function benchCore(options: CoreBenchOptions, meter: Meter): Measurement[] {
  return [
    ...options.sizes.flatMap((size) => benchSize(size, options, meter)),
    ...benchHeartbeats(options, meter),
    ...benchRestore(options, meter),
  ];
}

function benchSize(size: number, options: CoreBenchOptions, meter: Meter): Measurement[] {
  meter.collect();
  const emptyBytes = meter.heapBytes();
  const load = new Load(size);
  const registry = filled(load);
  meter.collect();
  const filledBytes = meter.heapBytes();
  const ticks = timeTicks(registry, load, options.ticks, meter);
  meter.collect();
  const beforeBytes = meter.heapBytes();
  for (let i = 0; i < options.ticks; i++) registry.judge(load.later(1));
  const perTickBytes = (meter.heapBytes() - beforeBytes) / options.ticks;
  const open = registry.counts().running;
  if (open !== size) throw new Error(`${open} turns run, not ${size}: the load is wrong`);
  const of = `${size} running turns`;
  return [
    { name: `tick, nothing due, ${of}, median`, value: median(ticks), unit: 'ms', limit: size / 100_000 },
    { name: `tick, nothing due, ${of}, p95`, value: quantile(ticks, 0.95), unit: 'ms' },
    { name: `allocation a tick, ${of}`, value: Math.max(0, perTickBytes), unit: 'B' },
    {
      name: `allocation a turn and tick, ${of}`,
      value: Math.max(0, perTickBytes) / size,
      unit: 'B',
      limit: 0.1,
    },
    {
      name: `memory a running turn, ${of}`,
      value: (filledBytes - emptyBytes) / size,
      unit: 'B',
      limit: 1000,
    },
  ];
}

/** Every turn as the detector gets it: through the wire, so that each has strings of its own. */
function filled(load: Load): Registry {
  const registry = new Registry(makePolicy(), load.now);
  for (const batch of load.starts()) take(registry, overTheWire(batch), load.now);
  for (let beat = 0; beat < 2; beat++) {
    load.later(1000);
    for (const batch of load.beats()) take(registry, overTheWire(batch), load.now);
  }
  return registry;
}

function take(registry: Registry, batch: readonly Signal[], now: Now): void {
  for (const signal of batch) registry.receive(signal, 'direct', now);
}

function overTheWire(batch: readonly Signal[]): Signal[] {
  const signals: Signal[] = [];
  decodeLogsProtobuf(encodeLogsProtobuf(batch.map((signal) => signalToRecord(signal))), (record) => {
    const decoded = decodeRecord(record);
    if (!('signal' in decoded)) throw new Error('the decoder did not take our own record');
    signals.push(decoded.signal);
  });
  return signals;
}

function timeTicks(registry: Registry, load: Load, ticks: number, meter: Meter): number[] {
  // The first one judges everything that has just been heard.
  for (let i = 0; i < warmUpTicks; i++) registry.judge(load.later(1));
  return Array.from({ length: ticks }, () => {
    const now = load.later(1);
    const fromMs = meter.nowMs();
    registry.judge(now);
    return meter.nowMs() - fromMs;
  });
}

/** A heartbeat of one turn: merged, then judged with the batch it came in. */
function benchHeartbeats(options: CoreBenchOptions, meter: Meter): Measurement[] {
  const size = Math.min(10_000, ...options.sizes);
  const load = new Load(size);
  const registry = filled(load);
  registry.judge(load.now);
  const perBeatNs: number[] = [];
  for (let done = 0; done < options.heartbeats; done += size) {
    load.later(1000);
    const batches = [...load.beats()].map(overTheWire);
    for (const batch of batches) {
      const fromMs = meter.nowMs();
      take(registry, batch, load.now);
      registry.judge(load.now);
      perBeatNs.push(((meter.nowMs() - fromMs) * 1e6) / batch.length);
    }
  }
  const of = `${size} running turns, batches of ${turnsPerProcess}`;
  return [
    { name: `heartbeat of a turn, received and judged, ${of}, median`, value: median(perBeatNs), unit: 'ns' },
    {
      name: `heartbeat of a turn, received and judged, ${of}, p95`,
      value: quantile(perBeatNs, 0.95),
      unit: 'ns',
    },
  ];
}

/** From the stored text to the first judgement. */
function benchRestore(options: CoreBenchOptions, meter: Meter): Measurement[] {
  const load = new Load(options.restored);
  const registry = filled(load);
  registry.judge(load.now);
  const stored = JSON.stringify(registry.save(load.now));
  const timesMs = Array.from({ length: 5 }, () => {
    const fromMs = meter.nowMs();
    const restored = Registry.restore(makePolicy(), JSON.parse(stored), load.now);
    restored.judge(load.now);
    return meter.nowMs() - fromMs;
  });
  return [
    {
      name: `restore of ${options.restored} turns, parsed and judged, median`,
      value: median(timesMs),
      unit: 'ms',
    },
    { name: 'stored, a turn', value: stored.length / options.restored, unit: 'B' },
  ];
}
