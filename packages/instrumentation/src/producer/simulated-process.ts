import type { ProducerClock } from './awake-clock.ts';
import { Producer, type ProducerOptions } from './producer.ts';
import type { ProcessSignal, Signal, TurnSignal } from './signal.ts';

/** A process on simulated clocks, for tests: `run` lets time pass with a beat each second, as a healthy process has it. */
export class SimulatedProcess {
  monoMs = 5000;
  bootMs = 900_000;
  wallMs = 1_700_000_000_000;
  loopAgeMs = 0;
  /** What went out at once. */
  readonly told: Signal[] = [];
  /** The records of the last beat. */
  lastBeat: Signal[] = [];
  readonly producer: Producer;
  #nextBeatMs = 6000;
  #ids = 0;

  constructor(options: Partial<ProducerOptions> = {}) {
    const clock: ProducerClock = {
      monoMs: () => this.monoMs,
      bootMs: () => this.bootMs,
      wallMs: () => this.wallMs,
    };
    this.producer = new Producer({
      processId: 'p1',
      bootId: 'b1',
      clock,
      newId: () => `id${++this.#ids}`,
      sink: (signal) => this.told.push(signal),
      ...options,
    });
  }

  run(ms: number): void {
    const endMs = this.monoMs + ms;
    while (this.#nextBeatMs <= endMs) {
      this.#pass(this.#nextBeatMs - this.monoMs);
      this.beat();
    }
    this.#pass(endMs - this.monoMs);
  }

  beat(): void {
    this.lastBeat = this.producer.heartbeat({ loopAgeMs: this.loopAgeMs });
    this.#nextBeatMs = this.monoMs + 1000;
  }

  /** The host sleeps; on Linux the monotonic clock does too. */
  sleep(ms: number, monoIncludesSleep = false): void {
    this.bootMs += ms;
    this.wallMs += ms;
    if (monoIncludesSleep) this.monoMs += ms;
    this.beat();
  }

  /** The main loop is stuck, without a worker thread: nothing beats until it is over. */
  block(ms: number): void {
    this.#pass(ms);
    this.beat();
  }

  get process(): Extract<ProcessSignal, { name: 'heartbeat' | 'started' }> {
    const found = this.lastBeat.find((signal) => signal.type === 'process' && signal.name === 'heartbeat');
    if (found?.type !== 'process' || found.name !== 'heartbeat')
      throw new Error('no beat of the process yet');
    return found;
  }

  turn(id: string): TurnSignal {
    const found = this.lastBeat.find((signal) => signal.type === 'turn' && signal.turn === id);
    if (found?.type !== 'turn') throw new Error(`the last beat has no turn ${id}`);
    return found;
  }

  tellings(): string[] {
    return this.told.map((signal) => (signal.type === 'turn' ? signal.happening.name : signal.name));
  }

  #pass(ms: number): void {
    this.monoMs += ms;
    this.bootMs += ms;
    this.wallMs += ms;
  }
}
