import {
  AwakeClock,
  type Effect,
  type Now,
  type Policy,
  Registry,
  type SavedBaseline,
  type SavedState,
  type Signal,
  type TurnView,
} from '@turnwatch/core';
import type { HostClock } from './host-clock.ts';
import type { Timeline } from './timeline.ts';

/** What a detector in a simulated world lives on. */
export interface DetectorGiven {
  readonly timeline: Timeline;
  readonly clock: HostClock;
  readonly policy: Policy;
  readonly baselines: readonly SavedBaseline[];
  /** Sends the detector's own canary out on a path. */
  readonly sendCanary: (path: string) => void;
  /** Verdicts among them, at their instant. */
  readonly onEffects: (effects: readonly Effect[]) => void;
  /** When in each second it ticks, ms. */
  readonly phaseMs: number;
}

/** What a scenario does with a detector. */
export interface SimulatedDetector {
  turn(id: string): TurnView | undefined;
  /** A decoded batch has arrived. */
  receive(batch: readonly Signal[]): void;
  /** Its loop stands still, or its host sleeps. */
  stand(): void;
  goOn(): void;
  /** kill -9: what is not stored is gone. */
  stop(): void;
  restart(): void;
}

const tickMs = 1000;

/** A simulated detector around the real registry: it drains its queue, then judges, on arrival and at each tick. */
export class SimDetector implements SimulatedDetector {
  readonly #options: DetectorGiven;
  #registry: Registry;
  #awake: AwakeClock;
  #queue: Signal[] = [];
  #standing = 0;
  #draining = false;
  #down: SavedState | undefined;
  #generation = 0;
  #tickDueMs: number;

  constructor(options: DetectorGiven) {
    this.#options = options;
    this.#awake = new AwakeClock(options.clock);
    this.#registry = Registry.restore(
      options.policy,
      { turns: [], baselines: options.baselines },
      this.#now(),
    );
    this.#tickDueMs = options.clock.monoMs() + options.phaseMs;
    this.#schedule();
  }

  turn(id: string): TurnView | undefined {
    return this.#registry.turn(id, this.#now());
  }

  receive(batch: readonly Signal[]): void {
    // What is sent to a detector that is down is lost; heartbeats heal it.
    if (this.#down !== undefined) return;
    this.#queue.push(...batch);
    if (this.#draining) return;
    this.#draining = true;
    // As the service does: everything that has arrived by now is merged before anything is judged.
    this.#options.timeline.after(0, () => {
      this.#draining = false;
      if (this.#standing === 0 && this.#down === undefined) this.#drain();
    });
  }

  stand(): void {
    this.#standing++;
  }

  goOn(): void {
    this.#standing--;
    if (this.#standing === 0) this.#schedule();
  }

  stop(): void {
    this.#down = JSON.parse(JSON.stringify(this.#registry.save(this.#now()))) as SavedState;
    this.#queue = [];
    this.#generation++;
  }

  restart(): void {
    const saved = this.#down;
    if (saved === undefined) return;
    this.#down = undefined;
    this.#awake = new AwakeClock(this.#options.clock, saved.rest?.awakeMs ?? 0);
    this.#registry = Registry.restore(this.#options.policy, saved, this.#now());
    this.#tickDueMs = this.#options.clock.monoMs();
    this.#schedule();
  }

  #now(): Now {
    const { clock } = this.#options;
    return { awakeMs: this.#awake.now(), bootMs: clock.bootMs(), wallMs: clock.wallMs() };
  }

  #schedule(): void {
    const generation = ++this.#generation;
    const inMs = Math.max(0, this.#tickDueMs - this.#options.clock.monoMs());
    this.#options.timeline.after(inMs, () => {
      if (generation === this.#generation) this.#tick();
    });
  }

  #tick(): void {
    if (this.#standing > 0 || this.#down !== undefined) return;
    this.#awake.tick();
    this.#drain();
    for (const path of this.#registry.paths()) this.#options.sendCanary(path);
    this.#tickDueMs = Math.max(this.#tickDueMs + tickMs, this.#options.clock.monoMs());
    this.#schedule();
  }

  /** All queued input first, judging after: a late tick must not flag what its own queue refutes. */
  #drain(): void {
    const now = this.#now();
    const effects: Effect[] = [];
    const queue = this.#queue;
    this.#queue = [];
    for (const signal of queue) effects.push(...this.#registry.receive(signal, 'direct', now));
    effects.push(...this.#registry.judge(now));
    if (effects.length > 0) this.#options.onEffects(effects);
  }
}
