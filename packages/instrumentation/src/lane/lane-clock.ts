import { AwakeClock, type ProducerClock, type TurnClock } from '../producer/awake-clock.ts';
import type { SharedCell } from './shared-cell.ts';

/** The turn clock as the main thread sees it while a worker advances it; without the worker it goes on by itself. */
export class LaneClock implements TurnClock {
  readonly #clock: ProducerClock;
  readonly #cell: SharedCell;
  #own: AwakeClock | undefined;
  #latestA = 0;

  constructor(clock: ProducerClock, cell: SharedCell) {
    this.#clock = clock;
    this.#cell = cell;
    cell.writeClock(new AwakeClock(clock).state());
  }

  tick(): void {
    this.#cell.noteBeat();
    this.#own?.tick();
  }

  now(): number {
    const a = this.#own?.now() ?? this.#cell.nowA(this.#clock.monoMs());
    if (a > this.#latestA) this.#latestA = a;
    return this.#latestA;
  }

  get awakeMs(): number {
    return this.#own?.awakeMs ?? this.#cell.readClock().awakeMs;
  }

  get wokeA(): number | undefined {
    return this.#own === undefined ? this.#cell.readClock().wokeA : this.#own.wokeA;
  }

  bootMs(): number {
    return this.#clock.bootMs?.() ?? this.#clock.monoMs();
  }

  wallMs(): number {
    return this.#clock.wallMs();
  }

  /** The worker is gone. */
  goOnAlone(): void {
    this.#own ??= new AwakeClock(this.#clock, { from: this.#cell.readClock() });
  }
}
