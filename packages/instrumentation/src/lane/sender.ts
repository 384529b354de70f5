import type { Timers } from '../horizon.ts';
import type { LatestState, Outgoing } from './latest-state.ts';
import type { Failure } from './poster.ts';

export interface SenderOptions {
  readonly state: LatestState;
  readonly timers: Timers;
  monoMs(): number;
  post(batch: readonly Outgoing[], timeoutMs: number, abort: AbortSignal): Promise<Failure>;
  /** Told after each export. */
  onDone(failure: Failure): void;
}

/** At most four requests a second, also where they arrive: a little above 250, since one may be delayed and the next not. */
const spacingMs = 260;
/** After a failure. */
const restMs = 1000;
const timeoutMs = 1500;
/** A flush does not wait longer for what is under way: it may hang. */
const patienceMs = 500;
const mostRecords = 2500;

/** Sends what is new: at once if it may, one request at a time, never an old state in the place of a newer one. */
export class Sender {
  readonly #options: SenderOptions;
  #sending: Promise<boolean> | undefined;
  #abort: AbortController = new AbortController();
  #endRest: (() => void) | undefined;
  #nextAtMs = Number.NEGATIVE_INFINITY;
  #flushing = false;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** There may be something to send. */
  wake(): void {
    const { state, timers, monoMs } = this.#options;
    if (this.#sending !== undefined || this.#endRest !== undefined || this.#flushing || !state.pending)
      return;
    const restsMs = this.#nextAtMs - monoMs();
    if (restsMs <= 0) {
      void this.#send(timeoutMs).then(() => this.wake());
      return;
    }
    this.#endRest = timers.after(restsMs, () => {
      this.#endRest = undefined;
      this.wake();
    });
  }

  /** Sends all that is pending now, as far as that goes within `maxMs`. */
  async flush(maxMs: number): Promise<void> {
    const { state, monoMs } = this.#options;
    const untilMs = monoMs() + maxMs;
    this.#flushing = true;
    const underWay = this.#sending;
    if (underWay !== undefined) {
      const giveUp = this.#options.timers.after(Math.min(patienceMs, maxMs / 2), () => this.#abort.abort());
      await underWay;
      giveUp();
    }
    while (state.pending && monoMs() < untilMs)
      if (!(await this.#send(Math.min(timeoutMs, untilMs - monoMs())))) break;
    this.#flushing = false;
    this.wake();
  }

  #send(forMs: number): Promise<boolean> {
    const { state, monoMs } = this.#options;
    const batch = state.take(mostRecords);
    const startedMs = monoMs();
    this.#nextAtMs = startedMs + spacingMs;
    this.#abort = new AbortController();
    const sending = this.#options.post(batch, forMs, this.#abort.signal).then((failure) => {
      if (failure !== undefined) {
        state.failed(batch);
        this.#nextAtMs = startedMs + restMs;
      }
      this.#sending = undefined;
      this.#options.onDone(failure);
      return failure === undefined;
    });
    this.#sending = sending;
    return sending;
  }
}
