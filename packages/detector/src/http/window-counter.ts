const windowMs = 60_000;
/** Callers that are counted at once; beyond it the oldest windows are forgotten. */
const maxCallers = 10_000;

export interface Counted {
  /** In the present window, this one included. */
  readonly count: number;
  readonly resetMs: number;
}

/** Counts by caller, in windows of a minute that begin with the caller's first. */
export class WindowCounter {
  /** 0: everything is allowed. */
  readonly limit: number;
  readonly #nowMs: () => number;
  readonly #windows = new Map<string, { count: number; readonly untilMs: number }>();

  constructor(limit: number, nowMs: () => number) {
    this.limit = limit;
    this.#nowMs = nowMs;
  }

  add(caller: string): Counted {
    const nowMs = this.#nowMs();
    let window = this.#windows.get(caller);
    if (window === undefined || nowMs >= window.untilMs) {
      this.#windows.delete(caller);
      if (this.#windows.size >= maxCallers) this.#forget(nowMs);
      window = { count: 0, untilMs: nowMs + windowMs };
      this.#windows.set(caller, window);
    }
    window.count++;
    return { count: window.count, resetMs: window.untilMs - nowMs };
  }

  /** Insertion is the order of beginning, so what is over comes first. */
  #forget(nowMs: number): void {
    let place = 0;
    for (const [caller, { untilMs }] of this.#windows) {
      if (nowMs < untilMs && place > 0) return;
      this.#windows.delete(caller);
      place++;
    }
  }
}
