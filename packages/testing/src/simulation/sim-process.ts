import type { HostClass, Signal } from '@turnwatch/core';
import { Producer, type ProducerTurn, type Signal as SentSignal } from '@turnwatch/instrumentation/producer';
import type { HostClock } from './host-clock.ts';
import type { Timeline } from './timeline.ts';

export interface SimProcessOptions {
  readonly id: string;
  readonly hostClass: HostClass;
  readonly worker: boolean;
  /** Within a second, when its heartbeat is due, ms. */
  readonly phaseMs: number;
  readonly timeline: Timeline;
  readonly clock: HostClock;
  /** One export: the records that leave together. */
  readonly emit: (batch: readonly Signal[]) => void;
}

const beatMs = 1000;

/**
 * A simulated agent process: the real producer of the instrumentation package on simulated clocks. It beats once a second
 * while it lives, is awake and is not blocked.
 */
export class SimProcess {
  readonly id: string;
  readonly clock: HostClock;
  readonly #options: SimProcessOptions;
  #producer: Producer | undefined;
  #boots = 0;
  #dead = false;
  #asleep = false;
  #blockedSinceMs: number | undefined;
  /** When the next beat is due, on the process's own monotonic clock. */
  #beatDueMs = 0;
  #generation = 0;
  /** What the process would have done while it slept or was blocked. */
  #deferred: (() => void)[] = [];
  /** Every turn object ever started here, newest last. */
  readonly turns: ProducerTurn[] = [];

  constructor(options: SimProcessOptions) {
    this.#options = options;
    this.id = options.id;
    this.clock = options.clock;
  }

  get alive(): boolean {
    return this.#producer !== undefined && !this.#dead;
  }

  /** Runs code of the agent: at once, or when the process can run again. Starts the process if it does not live. */
  run(act: (producer: Producer) => void): void {
    if (this.#asleep || this.#blockedSinceMs !== undefined) {
      this.#deferred.push(() => this.run(act));
      return;
    }
    if (!this.alive) this.#start();
    if (this.#producer !== undefined) act(this.#producer);
  }

  /** It says that it exits, and is gone. */
  exit(code: number | undefined): void {
    if (!this.alive) return;
    this.run((producer) => {
      this.#send(producer.heartbeat());
      producer.exiting(code);
    });
    this.kill();
  }

  /** Gone without a word. */
  kill(): void {
    this.#dead = true;
    this.#generation++;
    this.#deferred = [];
  }

  sleep(): void {
    this.#asleep = true;
  }

  wake(): void {
    this.#asleep = false;
    if (this.alive) this.#schedule();
    this.#resume();
  }

  block(): void {
    this.#blockedSinceMs = this.clock.monoMs();
  }

  unblock(): void {
    this.#blockedSinceMs = undefined;
    this.#resume();
  }

  suspendAnnounced(): void {
    this.run((producer) => producer.suspending());
  }

  #resume(): void {
    const deferred = this.#deferred;
    this.#deferred = [];
    for (const act of deferred) act();
  }

  #start(): void {
    this.#dead = false;
    this.#boots++;
    let ids = 0;
    const boot = `${this.id}-boot-${this.#boots}`;
    this.#producer = new Producer({
      processId: this.id,
      bootId: boot,
      clock: this.clock,
      hostClass: this.#options.hostClass,
      worker: this.#options.worker,
      newId: () => `${boot}-${++ids}`,
      sink: (signal) => this.#options.emit([asSignal(signal)]),
    });
    this.#beatDueMs = this.clock.monoMs() + this.#firstBeatInMs();
    this.#schedule();
  }

  /** Beats fall on the phase of the second that the scenario asks for. */
  #firstBeatInMs(): number {
    const intoMs = (((this.#options.timeline.nowMs - this.#options.phaseMs) % beatMs) + beatMs) % beatMs;
    return intoMs === 0 ? beatMs : beatMs - intoMs;
  }

  #schedule(): void {
    const generation = ++this.#generation;
    const inMs = Math.max(0, this.#beatDueMs - this.clock.monoMs());
    this.#options.timeline.after(inMs, () => {
      if (generation === this.#generation) this.#beat();
    });
  }

  #beat(): void {
    const producer = this.#producer;
    if (this.#dead || this.#asleep || producer === undefined) return;
    const blocked = this.#blockedSinceMs !== undefined;
    if (!blocked || this.#options.worker) {
      const loopAgeMs = this.#blockedSinceMs === undefined ? 0 : this.clock.monoMs() - this.#blockedSinceMs;
      this.#send(producer.heartbeat({ loopAgeMs }));
    }
    this.#beatDueMs = Math.max(this.#beatDueMs + beatMs, this.clock.monoMs());
    this.#schedule();
  }

  #send(signals: readonly SentSignal[]): void {
    this.#options.emit(signals.map(asSignal));
  }
}

/** The instrumentation writes its shapes out once more, so that its declarations need no other package. */
function asSignal(signal: SentSignal): Signal {
  return signal;
}
