import type { TurnSignal } from './signal.ts';

const kept = 20_000;

/**
 * Remembers the newest records of producers without heartbeats. Theirs are single happenings, so a batch that is sent
 * again would be activity a second time; cumulative reports need no such memory.
 */
export class Doubles {
  readonly #seen = new Set<string>();

  /** Has this very record been here? Records that carry neither a number nor a time cannot be told apart. */
  has(signal: TurnSignal): boolean {
    const { origin, turn, attempt, happening } = signal;
    if (origin.seq === 0 && origin.wallMs === undefined) return false;
    const key = JSON.stringify([
      origin.process,
      origin.boot,
      origin.seq,
      origin.wallMs,
      turn,
      attempt,
      happening,
    ]);
    if (this.#seen.has(key)) return true;
    this.#seen.add(key);
    const [oldest] = this.#seen;
    if (this.#seen.size > kept && oldest !== undefined) this.#seen.delete(oldest);
    return false;
  }
}
