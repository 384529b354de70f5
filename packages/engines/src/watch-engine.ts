import type { EngineProbe, EngineReading } from '@turnwatch/plugin';

export interface WatchTimers {
  /** Calls `work` once after `ms`; the answer cancels it. */
  after(ms: number, work: () => void): () => void;
}

export interface WatchOptions {
  /** From the end of one look to the begin of the next. Default 2000; a probe's own floor holds beside it. */
  readonly everyMs?: number | undefined;
  /** Longest time of one look. Default 5000. */
  readonly timeoutMs?: number | undefined;
  readonly timers: WatchTimers;
  /** What a look showed; `undefined` with its error: the engine could not be reached, which is no evidence. */
  readonly onLook: (reading: EngineReading | undefined, error?: unknown) => void;
}

/** Looks at an engine again and again until it is told to stop. */
export function watchEngine(probe: EngineProbe, options: WatchOptions): { stop(): Promise<void> } {
  const { everyMs = 2000, timeoutMs = 5000, timers, onLook } = options;
  const stopping = new AbortController();
  let cancelNext: (() => void) | undefined;
  const look = async (): Promise<void> => {
    const tooLong = new AbortController();
    const cancel = timers.after(timeoutMs, () =>
      tooLong.abort(new Error(`the engine did not answer within ${timeoutMs} ms`)),
    );
    let seen: readonly [EngineReading | undefined, unknown?];
    try {
      seen = [await probe.probe(AbortSignal.any([stopping.signal, tooLong.signal]))];
    } catch (error) {
      seen = [undefined, error];
    }
    cancel();
    if (stopping.signal.aborted) return;
    onLook(...seen);
    cancelNext = timers.after(everyMs, () => {
      looking = look();
    });
  };
  let looking = look();
  return {
    async stop() {
      stopping.abort();
      cancelNext?.();
      await looking;
    },
  };
}
