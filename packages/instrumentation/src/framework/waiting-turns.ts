import type { Turn } from '../turn.ts';
import { BoundedMap } from './bounded-map.ts';

/** The process, as far as it tells that it is about to end by itself. */
export interface EndingProcess {
  prependListener(event: 'beforeExit', listener: () => void): unknown;
  off(event: 'beforeExit', listener: () => void): unknown;
}

const maxWaiting = 1000;

/**
 * Turns that stay open until a later run goes on with them. A process that runs out of work ends them as `unknown`,
 * before it says that it exits: a question left to another process is no turn that died.
 */
export class WaitingTurns<Waiting extends { readonly turn: Turn }> {
  readonly #process: EndingProcess;
  readonly #turns: BoundedMap<string, Waiting> = new BoundedMap<string, Waiting>(maxWaiting, end);
  readonly #endAll = (): void => {
    for (const waiting of this.#turns.takeAll()) end(waiting);
    this.#unfollow();
  };

  constructor(process: EndingProcess) {
    this.#process = process;
  }

  set(key: string, waiting: Waiting): void {
    if (this.#turns.size === 0) this.#process.prependListener('beforeExit', this.#endAll);
    this.#turns.set(key, waiting);
  }

  /** The one that waits under this key, if its turn is still open. */
  take(key: string | undefined): Waiting | undefined {
    const before = this.#turns.size;
    const waiting = this.#turns.take(key);
    if (before > 0 && this.#turns.size === 0) this.#unfollow();
    return waiting?.turn.isOpen === true ? waiting : undefined;
  }

  #unfollow(): void {
    this.#process.off('beforeExit', this.#endAll);
  }
}

function end({ turn }: { readonly turn: Turn }): void {
  turn.end({ outcome: 'unknown' });
}
