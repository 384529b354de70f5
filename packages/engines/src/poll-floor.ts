/** One look at an engine, which several may want at once. */
interface Look<Seen> {
  readonly startedMs: number;
  readonly outcome: Promise<Seen>;
  isUnderWay: boolean;
}

/**
 * How often one engine is looked at, over all who look at it in this process. Each look of llama.cpp wakes the waiting
 * reader of every open stream and starts its time-out anew, the only place where it sends its keep-alives and notices
 * that a client has left: looked at more than once a second it does neither, and reads dead prompts to their end. Who asks
 * too soon gets what was seen last, in which nothing has moved.
 */
export class PollFloor<Seen> {
  readonly #looks: Map<string, Look<Seen>> = new Map();

  /**
   * @param engine its URL
   * @param monoMs now, monotonic
   * @param look rejects where the engine could not be reached; that too is kept for `floorMs`
   */
  async look(engine: string, floorMs: number, monoMs: number, look: () => Promise<Seen>): Promise<Seen> {
    const last = this.#looks.get(engine);
    if (last !== undefined && (last.isUnderWay || monoMs - last.startedMs < floorMs)) return last.outcome;
    const next: Look<Seen> = { startedMs: monoMs, outcome: look(), isUnderWay: true };
    this.#looks.set(engine, next);
    try {
      return await next.outcome;
    } finally {
      next.isUnderWay = false;
    }
  }
}
