import type { EngineSignal, EngineSlot } from '@turnwatch/core';

/** Producers repeat themselves about once a second; an engine that is not heard of for so long is left out. */
const heardMs = 60_000;
/** What happened between two samples further apart than this has no time of its own. */
const longestStepMs = 10_000;
const mostEngines = 1000;

interface Known {
  readonly signal: EngineSignal;
  readonly atMs: number;
}

/** What the slots of an engine did between two samples of it. */
export interface EngineStep {
  readonly read: number;
  readonly readingMs: number;
  readonly generated: number;
  readonly generatingMs: number;
}

/** Sums up what probes say of engines: counters of slots begin anew with each request. */
export class EngineMeter {
  readonly #known = new Map<string, Known>();

  /** @param nowMs of any clock that goes on */
  sample(signal: EngineSignal, nowMs: number): EngineStep {
    const before = this.#known.get(signal.engine);
    const step = { read: 0, readingMs: 0, generated: 0, generatingMs: 0 };
    // Two that look at one engine see the same tokens: the one that was first counts while it goes on.
    if (before !== undefined && nowMs - before.atMs <= longestStepMs && !sameProcess(before.signal, signal))
      return step;
    this.#known.delete(signal.engine);
    this.#known.set(signal.engine, { signal, atMs: nowMs });
    for (const engine of this.#known.keys()) {
      if (this.#known.size <= mostEngines) break;
      this.#known.delete(engine);
    }
    if (before === undefined || nowMs - before.atMs > longestStepMs) return step;
    const stepMs = nowMs - before.atMs;
    for (const slot of signal.slots) {
      const was = before.signal.slots.find(({ id }) => id === slot.id);
      const { read, generated } = moved(was, slot);
      step.read += read;
      step.generated += generated;
      // A slot that read its last tokens and then generated is booked where most of the step belongs: to the reading.
      if (read > 0) step.readingMs += stepMs;
      else if (generated > 0) step.generatingMs += stepMs;
    }
    return step;
  }

  /** Engines by state, and all requests that wait. */
  now(nowMs: number): {
    readonly states: Readonly<Record<EngineSignal['state'], number>>;
    readonly queued: number;
  } {
    const states = { idle: 0, busy: 0, unloaded: 0, unreachable: 0 };
    let queued = 0;
    for (const { signal, atMs } of this.#known.values()) {
      if (nowMs - atMs > heardMs) continue;
      states[signal.state]++;
      queued += signal.queued;
    }
    return { states, queued };
  }
}

function sameProcess(one: EngineSignal, other: EngineSignal): boolean {
  return one.origin.process === other.origin.process;
}

function moved(was: EngineSlot | undefined, slot: EngineSlot): { read: number; generated: number } {
  // Smaller, or of another turn: a new request, whose counters began at zero.
  const goes =
    was !== undefined && was.turn === slot.turn && was.read <= slot.read && was.generated <= slot.generated;
  return goes
    ? { read: slot.read - was.read, generated: slot.generated - was.generated }
    : { read: was === undefined ? 0 : slot.read, generated: was === undefined ? 0 : slot.generated };
}
