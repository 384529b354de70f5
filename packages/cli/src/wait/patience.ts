import { UnavailableError } from './detector-client.ts';
import type { WatchClock } from './watch-clock.ts';

const delaysMs = [250, 500, 1000, 2000, 5000] as const;

/** How long a detector that restarts is waited for: 0.25 s to 5 s between attempts, until the patience is over. */
export class Patience {
  readonly #clock: WatchClock;
  readonly #random: () => number;
  readonly #patienceMs: number;
  #failures = 0;
  #reachedAtMs: number;

  constructor(clock: WatchClock, random: () => number, patienceMs: number) {
    this.#clock = clock;
    this.#random = random;
    this.#patienceMs = patienceMs;
    this.#reachedAtMs = clock.nowMs();
  }

  afterSuccess(): void {
    this.#failures = 0;
    this.#reachedAtMs = this.#clock.nowMs();
  }

  /**
   * Sleeps before the next attempt, at most `leftMs`.
   * @throws UnavailableError when it is over
   */
  async afterFailure(error: Error, leftMs: number): Promise<void> {
    const outForMs = this.#clock.nowMs() - this.#reachedAtMs;
    if (outForMs >= this.#patienceMs)
      throw new UnavailableError(
        `${error.message} (for ${Math.round(outForMs / 1000)} s; --patience is over)`,
        {
          cause: error,
        },
      );
    const delayMs = delaysMs[Math.min(this.#failures++, delaysMs.length - 1)] ?? 5000;
    // Many that wait for one detector do not come back in one instant.
    await this.#clock.sleep(Math.min(delayMs * (0.5 + this.#random() / 2), leftMs));
  }
}
