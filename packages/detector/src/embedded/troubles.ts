/** Where errors go that must not reach the agent's own code: told, never thrown. */
export class Troubles {
  readonly #onError: (error: unknown) => void;
  readonly #told: Set<string> = new Set();

  constructor(onError: ((error: unknown) => void) | undefined) {
    this.#onError = onError ?? warn;
  }

  /** Runs it; what it throws or rejects with is told. */
  guard(work: () => void | PromiseLike<void>): void {
    try {
      const result = work();
      if (result !== undefined) Promise.resolve(result).catch((error: unknown) => this.tell(error));
    } catch (error) {
      this.tell(error);
    }
  }

  tell(error: unknown): void {
    try {
      this.#onError(error);
    } catch (worse) {
      warn(error);
      warn(worse);
    }
  }

  /** The same fault in each record of a second would be told a thousand times. */
  tellOnce(message: string): void {
    if (this.#told.has(message) || this.#told.size >= mostTold) return;
    this.#told.add(message);
    this.tell(new Error(message));
  }
}

const mostTold = 100;

function warn(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.emitWarning(`turnwatch, embedded detector: ${text}`);
}
