import type { SavedState, Signal, TurnView } from '@turnwatch/core';
import { createDetector, type EmbeddedDetector, type EmbeddedTimers } from '@turnwatch/detector/embedded';
import type { WebhookEvent } from '@turnwatch/protocol';
import type { DetectorGiven, SimulatedDetector } from '@turnwatch/testing';

/** Of a detector in its simulated world, so that documents of both sides can be compared. */
export const source = { name: 'simulated', linkBase: 'http://detector' };

/** An embedded detector in a simulated world: its time is the timeline's. */
export class SimulatedEmbedded implements SimulatedDetector {
  readonly documents: WebhookEvent[] = [];
  readonly errors: unknown[] = [];
  readonly #given: DetectorGiven;
  #detector: EmbeddedDetector;
  #saved: SavedState | undefined;
  #standing = 0;
  #tick: () => void = () => undefined;
  #tickDueMs: number;
  #generation = 0;

  constructor(given: DetectorGiven) {
    this.#given = given;
    this.#tickDueMs = given.clock.monoMs() + given.phaseMs;
    this.#detector = this.#create();
  }

  turn(id: string): TurnView | undefined {
    return this.#detector.turn(id);
  }

  receive(batch: readonly Signal[]): void {
    if (this.#saved === undefined) this.#detector.receive(batch, 'direct');
  }

  stand(): void {
    this.#standing++;
  }

  goOn(): void {
    this.#standing--;
    if (this.#standing === 0) this.#schedule();
  }

  stop(): void {
    this.#saved = JSON.parse(JSON.stringify(this.#detector.save())) as SavedState;
    this.#detector.stop();
  }

  restart(): void {
    if (this.#saved === undefined) return;
    this.#tickDueMs = this.#given.clock.monoMs();
    this.#detector = this.#create();
    this.#saved = undefined;
  }

  #create(): EmbeddedDetector {
    const take = (document: WebhookEvent): void => void this.documents.push(document);
    return createDetector({
      ...source,
      policy: this.#given.policy,
      ...(this.#saved === undefined ? { baselines: this.#given.baselines } : { saved: this.#saved }),
      clocks: this.#given.clock,
      timers: this.#timers,
      keepEndedMs: Number.POSITIVE_INFINITY,
      onError: (error) => void this.errors.push(error),
      onStale: take,
      onSuspect: take,
      onExpired: take,
      onRecovered: take,
      onRequestExpired: take,
      onSourceSilent: take,
    });
  }

  get #timers(): EmbeddedTimers {
    return {
      every: (_, work) => {
        this.#tick = work;
        this.#schedule();
        return () => void this.#generation++;
      },
      soon: (work) =>
        this.#given.timeline.after(0, () => {
          if (this.#standing === 0) work();
        }),
    };
  }

  /** A timer of a loop that may stand still: late ticks come at once, and once. */
  #schedule(): void {
    const generation = ++this.#generation;
    const { clock, timeline } = this.#given;
    timeline.after(Math.max(0, this.#tickDueMs - clock.monoMs()), () => {
      if (generation !== this.#generation || this.#standing > 0) return;
      this.#tick();
      this.#tickDueMs = Math.max(this.#tickDueMs + 1000, clock.monoMs());
      this.#schedule();
    });
  }
}
