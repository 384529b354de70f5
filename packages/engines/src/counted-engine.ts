import type { EngineProbe, EngineReading } from '@turnwatch/plugin';
import type { EngineAccess } from './engine-access.ts';
import { EngineAnswerError, EngineClient } from './engine-client.ts';
import type { EngineOptions } from './engine-options.ts';
import { sumsOf } from './prometheus-text.ts';

/** How an engine counts its work for Prometheus. A metric that a version lacks counts as nothing. */
export interface Counting {
  /** Of the engine, for messages. */
  readonly engine: string;
  /** Gauges of requests that are worked on; without any of them the page is not this engine's. */
  readonly running: readonly string[];
  /** Gauges of requests that wait. */
  readonly waiting: readonly string[];
  /** Counters that move with the reading of prompts. */
  readonly read: readonly string[];
  /** Counters that move with generated tokens. */
  readonly generated: readonly string[];
  /** Counters of the engine's own steps: those that move during one long prompt read. */
  readonly steps: readonly string[];
  /** How it is switched on, where it is off by default. */
  readonly hint: string;
}

/** Cheap to answer, but a page of metrics can be long. */
const floorMs = 1000;

/**
 * A probe of an engine whose counters are those of all its requests: they cannot say whose request moves, so what they
 * show is that the engine as a whole lives. Steps are a slot of their own.
 */
export function countedProbe(counting: Counting, options: EngineOptions, access: EngineAccess): EngineProbe {
  const client = new EngineClient(options, access);
  const { running, waiting, read, generated, steps } = counting;
  const names = new Set([...running, ...waiting, ...read, ...generated, ...steps]);
  const look = async (signal: AbortSignal): Promise<EngineReading> => {
    const sums = sumsOf(await client.text('/metrics', signal), names);
    if (!running.some((name) => sums.has(name)))
      throw new EngineAnswerError(200, `/metrics has no ${running.join(' or ')}; ${counting.hint}`);
    const of = (which: readonly string[]): number =>
      which.reduce((sum, name) => sum + (sums.get(name) ?? 0), 0);
    const queued = of(waiting);
    if (of(running) === 0) return { state: 'idle', queued };
    return {
      state: 'busy',
      queued,
      slots: [
        { id: 0, read: of(read), generated: of(generated) },
        ...(steps.length === 0 ? [] : [{ id: 1, read: of(steps), generated: 0 }]),
      ],
    };
  };
  return {
    engine: client.name,
    probe: (signal) => client.look(counting.engine, floorMs, () => look(signal)),
  };
}
