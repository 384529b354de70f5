import type { EngineSignal } from './signal.ts';

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

/**
 * The last counters of each engine, as each process that looks at it saw them: two may see it differently (one knows whose
 * slot it is, one sees only the engine's totals), and the difference between their views is no movement. A sign of life is a counter that moved: idle, unloaded, unreachable, busy without a
 * progress line and a counter that stands are nothing (report 000, the cases that must stall).
 */
export class Engines {
  readonly #slots = new Map<string, Map<string, Map<number, SlotCounters>>>();

  sample(signal: EngineSignal): EngineMovement {
    if (signal.state !== 'busy') return still;
    const source = signal.origin.process;
    const sources = this.#slots.get(signal.engine) ?? new Map<string, Map<number, SlotCounters>>();
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
    sources.delete(source);
    sources.set(source, next);
    for (const oldest of sources.keys()) if (sources.size > mostSources) sources.delete(oldest);
    this.#slots.set(signal.engine, sources);
    return { any, unowned, owners, running, queued: signal.queued > 0 };
  }

  save(): SavedEngines {
    return [...this.#slots].flatMap(([engine, sources]) =>
      [...sources].map(([source, slots]) => ({ engine, source, slots: [...slots] })),
    );
  }

  restore(saved: SavedEngines): void {
    for (const { engine, source, slots } of saved) {
      const sources = this.#slots.get(engine) ?? new Map<string, Map<number, SlotCounters>>();
      this.#slots.set(engine, sources.set(source, new Map(slots)));
    }
  }
}

export type SavedEngines = readonly {
  readonly engine: string;
  readonly source: string;
  readonly slots: readonly (readonly [number, SlotCounters])[];
}[];
