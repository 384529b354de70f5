import type { AwakeState } from '../producer/awake-clock.ts';

const intsAt = 32;
const slots = 4;
const slotFields = 6;
const seqField = slots * slotFields;

const field = { clock: 0, beats: 1, beating: 2, flushed: 3, failing: 4 } as const;

/**
 * The few numbers that the main thread and the worker share. Each field has one writer. The clock is written into the
 * next of four slots and then made known, so that a reader, on the hot path of every chunk, never waits and never
 * allocates; a slot is written again only four ticks later.
 */
export class SharedCell {
  readonly buffer: SharedArrayBuffer;
  readonly #ints: Int32Array<SharedArrayBuffer>;
  readonly #floats: Float64Array<SharedArrayBuffer>;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(intsAt + 8 * (seqField + 1))) {
    this.buffer = buffer;
    this.#ints = new Int32Array(buffer, 0, intsAt / 4);
    this.#floats = new Float64Array(buffer, intsAt);
  }

  /** By whoever advances the clock. */
  writeClock(state: AwakeState): void {
    const next = Atomics.load(this.#ints, field.clock) + 1;
    const at = (next & (slots - 1)) * slotFields;
    const floats = this.#floats;
    floats[at] = state.awakeMs;
    floats[at + 1] = state.stuckMs;
    floats[at + 2] = state.tickMonoMs;
    floats[at + 3] = state.tickBootMs;
    floats[at + 4] = state.capMs;
    floats[at + 5] = state.wokeA ?? Number.NaN;
    Atomics.store(this.#ints, field.clock, next);
  }

  readClock(): AwakeState {
    const at = this.#slot();
    const floats = this.#floats;
    const wokeA = floats[at + 5] ?? Number.NaN;
    return {
      awakeMs: floats[at] ?? 0,
      stuckMs: floats[at + 1] ?? 0,
      tickMonoMs: floats[at + 2] ?? 0,
      tickBootMs: floats[at + 3] ?? 0,
      capMs: floats[at + 4] ?? 0,
      wokeA: Number.isNaN(wokeA) ? undefined : wokeA,
    };
  }

  /** The turn clock at `monoMs`, as `turnClockAt` has it. */
  nowA(monoMs: number): number {
    const at = this.#slot();
    const floats = this.#floats;
    const sinceMs = monoMs - (floats[at + 2] ?? 0);
    const capMs = floats[at + 4] ?? 0;
    const baseMs = (floats[at] ?? 0) - (floats[at + 1] ?? 0);
    return baseMs + (sinceMs > capMs ? capMs : Math.max(sinceMs, 0));
  }

  /** By the main thread, at each of its beats: its loop runs. */
  noteBeat(): void {
    Atomics.add(this.#ints, field.beats, 1);
  }

  get beats(): number {
    return Atomics.load(this.#ints, field.beats);
  }

  /** Whether the main thread beats at all: where it does not mean to, its silence is no block. */
  get beating(): boolean {
    return Atomics.load(this.#ints, field.beating) === 1;
  }

  set beating(is: boolean) {
    Atomics.store(this.#ints, field.beating, is ? 1 : 0);
  }

  /** By the worker: the newest flush that is done. */
  noteFlushed(ticket: number): void {
    Atomics.store(this.#ints, field.flushed, ticket);
    Atomics.notify(this.#ints, field.flushed);
  }

  /** Blocks this thread until the flush is done, `maxMs` at most. */
  waitFlushed(ticket: number, maxMs: number, monoMs: () => number): void {
    const untilMs = monoMs() + maxMs;
    for (let leftMs = maxMs; leftMs > 0; leftMs = untilMs - monoMs()) {
      const done = Atomics.load(this.#ints, field.flushed);
      if (done >= ticket) return;
      Atomics.wait(this.#ints, field.flushed, done, leftMs);
    }
  }

  /** By the worker: its newest export failed. */
  get failing(): boolean {
    return Atomics.load(this.#ints, field.failing) === 1;
  }

  set failing(is: boolean) {
    Atomics.store(this.#ints, field.failing, is ? 1 : 0);
  }

  /** By the worker: number of the newest record it has sent. */
  get seq(): number {
    return this.#floats[seqField] ?? 0;
  }

  set seq(seq: number) {
    this.#floats[seqField] = seq;
  }

  #slot(): number {
    return (Atomics.load(this.#ints, field.clock) & (slots - 1)) * slotFields;
  }
}
