import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Cast } from './cast.ts';
import { readGauges } from './gauge.ts';
import { Ledger } from './ledger.ts';
import type { Message } from './message.ts';
import type { Show, Summary } from './show.ts';
import { killAfterMs, storyLimitMs } from './story.ts';

/** So long is waited for what should not come, after the last thing that should. */
const surplusMs = 1500;
const gaugeEveryMs = 1000;
/** A timer this late is the ordinary grain of a healthy machine. */
const ordinaryLagMs = 100;

/** Lets the cast play the story, shows it, and holds what came against what was expected. */
export class Stage {
  readonly cast: Cast;
  readonly #show: Show;
  readonly #ledger = new Ledger();
  /** Processes that ended by themselves. */
  readonly #losses: string[] = [];
  #ended = false;
  #look: () => void = () => undefined;

  /** @param port of the detector; undefined: the usual one, or any free one */
  constructor(show: Show, port: number | undefined) {
    this.#show = show;
    this.cast = new Cast({
      port,
      onEvent: (event) => {
        if (event.type === 'source.silent') return;
        if (event.type === 'turn.suspect') show.suspect(event);
        const verdict = this.#ledger.verdict(event);
        if (verdict !== undefined) show.verdict(verdict);
        this.#look();
      },
      onMessage: (message) => this.#take(message),
      onLost: (why) => {
        this.#losses.push(why);
        this.#look();
      },
    });
  }

  /** Resolves when the story is over, one way or the other; to undefined when it was ended before. @throws Error when it could not begin */
  async perform(): Promise<Summary | undefined> {
    const openedMs = performance.now();
    const place = await this.cast.start();
    if (this.#ended) return undefined;
    this.#show.begin(place, Date.now());
    const lag = monitorEventLoopDelay({ resolution: 20 });
    lag.enable();
    this.cast.begin();
    const gauges = setInterval(() => void this.#showGauges(place.detector), gaugeEveryMs);
    const killing = setTimeout(() => void this.#kill('worker-2'), killAfterMs);
    await this.#until(() => this.#ledger.complete || this.#losses.length > 0, storyLimitMs);
    await this.#until(() => this.#losses.length > 0, surplusMs);
    clearInterval(gauges);
    clearTimeout(killing);
    if (this.#ended) return undefined;
    lag.disable();
    const timerLagMs = Math.max(0, Math.round(lag.max / 1e6 - ordinaryLagMs));
    this.#ledger.timerLagMs = timerLagMs;
    const faults = [...this.#ledger.faults(), ...this.#losses];
    const summary: Summary = {
      passed: faults.length === 0,
      timerLagMs,
      seconds: Math.round((performance.now() - openedMs) / 100) / 10,
      detector: place.detector,
      rows: this.#ledger.rows(),
      faults,
    };
    this.#show.end(summary);
    return summary;
  }

  /** Ends the story wherever it is, and everybody in it. Resolves when nothing is left. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#look();
    await this.cast.stop();
  }

  #take(message: Message): void {
    if (message.kind === 'note') {
      this.#ledger.note(message);
      this.#show.note(message);
    } else if (message.kind === 'told') {
      this.#ledger.told(message);
      this.#show.told(message);
    }
    this.#look();
  }

  async #kill(worker: string): Promise<void> {
    this.#show.killed(worker, this.cast.pidOf(worker), Date.now());
    await this.cast.kill(worker);
  }

  /** A row that is missing is seen; whether the detector works is judged by its verdicts, not by this. */
  async #showGauges(detector: string): Promise<void> {
    try {
      this.#show.gauges(await readGauges(detector), Date.now());
    } catch (error) {
      this.cast.complaints.push(
        `no row of gauges: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }

  /** Waits until something holds, looking again whenever something has happened; `limitMs` at most. */
  #until(holds: () => boolean, limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#look = () => undefined;
        resolve();
      };
      const timer = setTimeout(done, limitMs);
      this.#look = () => {
        if (this.#ended || holds()) done();
      };
      this.#look();
    });
  }
}
