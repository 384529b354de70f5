import type { Signal } from '@turnwatch/core';
import type { Timeline } from '../simulation/timeline.ts';
import type { Draw } from './draw.ts';

export interface Faults {
  /** Share of batches that arrive 5 to 60 s late. */
  readonly late: number;
  /** Share of batches that never arrive. */
  readonly lost: number;
}

/** The way from producers to the detector as the study wants it: late, lossy, and jammed at times. */
export class FaultyPipeline {
  readonly #timeline: Timeline;
  readonly #draw: Draw;
  readonly #faults: Faults;
  readonly #deliver: (batch: readonly Signal[]) => void;
  #jammedUntilMs = 0;

  constructor(timeline: Timeline, draw: Draw, faults: Faults, deliver: (batch: readonly Signal[]) => void) {
    this.#timeline = timeline;
    this.#draw = draw;
    this.#faults = faults;
    this.#deliver = deliver;
  }

  /** Nothing gets through for so long; then everything comes at once. */
  jam(forMs: number): void {
    this.#jammedUntilMs = Math.max(this.#jammedUntilMs, this.#timeline.nowMs + forMs);
  }

  /** @param sure a notice that its sender waits for until it is acknowledged: jams hold it up, nothing else does. */
  send(batch: readonly Signal[], sure = false): void {
    const fate = this.#draw.next();
    const transitMs = this.#draw.between(5, 60);
    const lateMs = this.#draw.between(5000, 60_000);
    if (!sure && fate < this.#faults.lost) return;
    const late = !sure && fate < this.#faults.lost + this.#faults.late;
    const arrivesMs = this.#timeline.nowMs + transitMs + (late ? lateMs : 0);
    this.#timeline.at(Math.max(arrivesMs, this.#jammedUntilMs), () => this.#deliver(batch));
  }
}
