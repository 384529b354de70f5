import type { Producer, ProducerTurn } from '@turnwatch/instrumentation/producer';
import type { SimProcess } from '../simulation/sim-process.ts';
import type { Timeline } from '../simulation/timeline.ts';
import type { Draw } from './draw.ts';

/** One turn of the observation study, as it really went. */
export interface ObservedTurn {
  readonly id: string;
  lastMs: number;
  /** It stopped for good, its process goes on. */
  stopped: boolean;
  /** It died with its process. */
  dead: boolean;
  over: boolean;
}

const s = 1000;
const stopShare = 0.01;

/** A line of turns one after the other in one process: pauses with a median of 4 s, never over 18 s. */
export class ObservedAgent {
  readonly #timeline: Timeline;
  readonly #process: SimProcess;
  readonly #draw: Draw;
  readonly #begin: () => ObservedTurn | undefined;
  #sdk: ProducerTurn | undefined;
  #now: ObservedTurn | undefined;
  #dead = false;

  constructor(timeline: Timeline, process: SimProcess, draw: Draw, begin: () => ObservedTurn | undefined) {
    this.#timeline = timeline;
    this.#process = process;
    this.#draw = draw;
    this.#begin = begin;
  }

  /** Its process is gone. Returns the turn that dies with it. */
  kill(): ObservedTurn | undefined {
    this.#dead = true;
    const turn = this.#now;
    if (turn === undefined || turn.over) return undefined;
    turn.dead = true;
    return turn;
  }

  start(): void {
    if (this.#dead) return;
    // Not before the process runs: what was only meant to begin is no turn.
    this.#process.run((producer) => {
      this.#now = this.#begin();
      if (this.#now !== undefined) this.#open(producer, this.#now);
    });
  }

  /** The verdict on a turn that really stopped: its parent ends it, and the next one starts. */
  endStopped(): void {
    const turn = this.#now;
    if (turn?.stopped !== true) return;
    turn.over = true;
    this.#process.run(() => this.#sdk?.ended({ outcome: 'cancelled' }));
    this.#timeline.after(s, () => this.start());
  }

  #open(producer: Producer, turn: ObservedTurn): void {
    this.#sdk = producer.startTurn({ id: turn.id, provider: 'seen', model: 'seen' });
    this.#sdk.requestStarted({ id: 'r' });
    turn.lastMs = this.#timeline.nowMs;
    const bursts = this.#draw.count(3, 6);
    const stopsAfter = this.#draw.chance(stopShare) ? this.#draw.count(1, bursts) : Number.POSITIVE_INFINITY;
    this.#later(turn, Math.min(30 * s, this.#draw.logNormal(1.5 * s, 0.7)), () =>
      this.#burst(turn, bursts, stopsAfter),
    );
  }

  #burst(turn: ObservedTurn, left: number, stopsAfter: number): void {
    this.#sdk?.chunk('text', 'r');
    turn.lastMs = this.#timeline.nowMs;
    if (stopsAfter <= 1) {
      turn.stopped = true;
      return;
    }
    if (left > 1)
      this.#later(turn, Math.min(18 * s, this.#draw.logNormal(4 * s, 0.8)), () =>
        this.#burst(turn, left - 1, stopsAfter - 1),
      );
    else
      this.#later(turn, this.#draw.between(50, 500), () => {
        turn.over = true;
        this.#sdk?.requestEnded('r');
        this.#sdk?.ended();
        this.#timeline.after(this.#draw.between(0, 3 * s), () => this.start());
      });
  }

  #later(turn: ObservedTurn, ms: number, act: () => void): void {
    this.#timeline.after(ms, () => {
      if (!turn.dead) this.#process.run(act);
    });
  }
}
