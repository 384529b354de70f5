import type { Turn } from '../turn.ts';

/** What of `process` is needed. */
export interface Host {
  prependListener(event: 'beforeExit' | 'exit', listener: (code: number) => void): unknown;
}

/**
 * One turn for a whole process, from its first model request until it runs out of work or exits: for scripts that are one
 * turn. Its outcome is that of the process; what is killed has not ended its turn.
 */
export class ProcessTurn {
  readonly #host: Host;
  readonly #start: () => Turn;
  #turn: Turn | undefined;
  #isFollowed = false;

  constructor(host: Host, start: () => Turn) {
    this.#host = host;
    this.#start = start;
  }

  /** The turn, begun with the first question. */
  get(): Turn {
    if (this.#turn !== undefined) return this.#turn;
    if (!this.#isFollowed) {
      this.#isFollowed = true;
      const end = (code: number): void => {
        this.#turn?.end({ outcome: code === 0 ? 'completed' : 'failed' });
        this.#turn = undefined;
      };
      // Before those who say goodbye for the process.
      this.#host.prependListener('beforeExit', end);
      this.#host.prependListener('exit', end);
    }
    this.#turn = this.#start();
    return this.#turn;
  }
}
