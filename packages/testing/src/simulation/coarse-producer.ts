import type { Happening, Signal, TurnIdentity } from '@turnwatch/core';
import type { HostClock } from './host-clock.ts';

/** Telemetry of another maker: single happenings, no heartbeats, no cumulative state. */
export class CoarseProducer {
  readonly #process: string;
  readonly #clock: HostClock;
  readonly #emit: (batch: readonly Signal[]) => void;
  readonly #attempts = new Map<string, number>();
  #seq = 0;

  constructor(process: string, clock: HostClock, emit: (batch: readonly Signal[]) => void) {
    this.#process = process;
    this.#clock = clock;
    this.#emit = emit;
  }

  started(turn: string, attempt: number, identity: TurnIdentity): void {
    this.#attempts.set(turn, attempt);
    this.happened(turn, { name: 'started' }, identity);
  }

  happened(turn: string, happening: Happening, identity?: TurnIdentity): void {
    this.#emit([
      {
        type: 'turn',
        turn,
        attempt: this.#attempts.get(turn) ?? 1,
        incarnation: 1,
        origin: { process: this.#process, boot: '', seq: ++this.#seq, a: 0, wallMs: this.#clock.wallMs() },
        happening,
        ...(identity === undefined ? {} : { identity }),
      },
    ]);
  }
}
