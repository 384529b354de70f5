import type { EngineSignal } from './signal.ts';
import type { AwakeMs } from './time.ts';

/** What one poll of an engine shows beside the one before. */
export interface EngineMovement {
  /** Any slot moved. */
  readonly any: boolean;
  /** A slot whose request nobody claims moved. */
  readonly unowned: boolean;
  /** Turns whose own slot moved. */
  readonly owners: ReadonlySet<string>;
  /** Turns that some slot runs. */
  readonly running: ReadonlySet<string>;
  /** Requests wait. */
  readonly queued: boolean;
}

/** What a movement of its engine means for one turn. */
export function movementFor(
  turn: string,
  movement: EngineMovement,
): { readonly own: boolean; readonly wide: boolean; readonly queued: boolean } {
  const queued = movement.queued && !movement.running.has(turn);
  // Engine-wide movement counts while the request waits, or while the engine does not say which slot is whose.
  const wide = queued ? movement.any : movement.unowned && !movement.running.has(turn);
  return { own: movement.owners.has(turn), wide, queued };
}

interface SlotCounters {
  readonly turn?: string;
  readonly read: number;
  readonly generated: number;
}

const still: EngineMovement = {
  any: false,
  unowned: false,
  owners: new Set(),
  running: new Set(),
  queued: false,
};

/** More who look at one engine than that: those heard of longest ago are forgotten. */
const mostSources = 16;
/** An engine that serves no open turn is forgotten when it has not been heard of for so long. */
const idleMs = 600_000;

/**
 * The last counters of each engine, as each process that looks at it saw them: two may see it differently (one knows whose
 * slot it is, one sees only the engine's totals), and the difference between their views is no movement. A sign of life is a counter that moved: idle, unloaded, unreachable, busy without a
 * progress line and a counter that stands are nothing (report 000, the cases that must stall).
 */
export class Engines {
  readonly #slots = new Map<string, Map<string, Map<number, SlotCounters>>>();
  readonly #heardMs = new Map<string, AwakeMs>();

  ids(): string[] {
    return [...this.#heardMs.keys()];
  }

  /** Somebody speaks of it, whatever its state. */
  hear({ engine, origin }: EngineSignal, awakeMs: AwakeMs): void {
    this.#heardMs.set(engine, awakeMs);
    const sources = this.#sourcesOf(engine);
    const known = sources.get(origin.process) ?? new Map<number, SlotCounters>();
    sources.delete(origin.process);
    sources.set(origin.process, known);
    for (const oldest of sources.keys()) if (sources.size > mostSources) sources.delete(oldest);
  }

  /** @param serves whether an engine serves an open turn: what its counters were is then still asked for */
  forgetIdle(awakeMs: AwakeMs, serves: (engine: string) => boolean): void {
    for (const [engine, heardMs] of this.#heardMs) {
      if (awakeMs - heardMs < idleMs || serves(engine)) continue;
      this.#heardMs.delete(engine);
      this.#slots.delete(engine);
    }
  }

  sample(signal: EngineSignal): EngineMovement {
    if (signal.state !== 'busy') return still;
    const source = signal.origin.process;
    const sources = this.#sourcesOf(signal.engine);
    const known = sources.get(source);
    const next = new Map<number, SlotCounters>();
    const owners = new Set<string>();
    const running = new Set<string>();
    let any = false;
    let unowned = false;
    for (const slot of signal.slots) {
      const before = known?.get(slot.id);
      // A request's own counters begin at zero; of a slot that nobody claims only a change tells.
      const moved =
        before === undefined || before.turn !== slot.turn
          ? slot.turn !== undefined && slot.read + slot.generated > 0
          : before.read !== slot.read || before.generated !== slot.generated;
      any ||= moved;
      if (slot.turn !== undefined) {
        running.add(slot.turn);
        if (moved) owners.add(slot.turn);
      } else unowned ||= moved;
      next.set(slot.id, slot);
    }
    sources.set(source, next);
    return { any, unowned, owners, running, queued: signal.queued > 0 };
  }

  save(): SavedEngines {
    return [...this.#slots].flatMap(([engine, sources]) =>
      [...sources].map(([source, slots]) => ({ engine, source, slots: [...slots] })),
    );
  }

  /** After a restart the time of silence counts from here. */
  restore(saved: SavedEngines, awakeMs: AwakeMs): void {
    for (const { engine, source, slots } of saved) {
      this.#heardMs.set(engine, awakeMs);
      this.#sourcesOf(engine).set(source, new Map(slots));
    }
  }

  #sourcesOf(engine: string): Map<string, Map<number, SlotCounters>> {
    let sources = this.#slots.get(engine);
    if (sources === undefined) {
      sources = new Map();
      this.#slots.set(engine, sources);
    }
    return sources;
  }
}

export type SavedEngines = readonly {
  readonly engine: string;
  readonly source: string;
  readonly slots: readonly (readonly [number, SlotCounters])[];
}[];
