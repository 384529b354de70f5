import type { Signal, TurnView } from '@turnwatch/core';
import { type DetectorGiven, SimDetector, type SimulatedDetector } from '@turnwatch/testing';
import { expect } from 'vitest';
import { SimulatedEmbedded } from './simulated-embedded.ts';

/** The detector behind the wire and the embedded one, on the same signals at the same instants. */
export class BothDetectors implements SimulatedDetector {
  readonly embedded: SimulatedEmbedded;
  readonly #behindTheWire: SimDetector;

  constructor(given: DetectorGiven) {
    this.#behindTheWire = new SimDetector(given);
    this.embedded = new SimulatedEmbedded(given);
  }

  /** Asked wherever a scenario expects something: both must show the same. */
  turn(id: string): TurnView | undefined {
    const view = this.#behindTheWire.turn(id);
    expect(this.embedded.turn(id)).toEqual(view);
    return view;
  }

  receive(batch: readonly Signal[]): void {
    this.#behindTheWire.receive(batch);
    this.embedded.receive(batch);
  }

  stand(): void {
    this.#behindTheWire.stand();
    this.embedded.stand();
  }

  goOn(): void {
    this.#behindTheWire.goOn();
    this.embedded.goOn();
  }

  stop(): void {
    this.#behindTheWire.stop();
    this.embedded.stop();
  }

  restart(): void {
    this.#behindTheWire.restart();
    this.embedded.restart();
  }
}
