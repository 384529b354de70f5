import { guarded } from './runtime.ts';

/** What of `process` the exit needs. */
export interface ExitingProcess {
  on(
    event: 'beforeExit' | 'exit' | 'SIGTERM' | 'uncaughtExceptionMonitor',
    listener: (detail?: unknown) => void,
  ): unknown;
  removeListener(event: 'SIGTERM', listener: () => void): unknown;
  listenerCount(event: 'SIGTERM' | 'uncaughtException'): number;
  kill(pid: number, signal: 'SIGTERM'): unknown;
  readonly pid: number;
}

export interface ExitWork {
  /** Anything was told in this process since the last call of `farewell`. */
  hasNews(): boolean;
  /** Tells that the process exits. */
  farewell(code?: number): void;
  /** Sends what is queued. */
  flush(): Promise<void>;
  /** There is another thread that sends while this one is held up. */
  canFlushNow(): boolean;
  /** Sends what is queued before it returns. */
  flushNow(): void;
}

const exitDelayMs = 2000;

/**
 * Says goodbye and flushes when the process is about to end: at its exit, of whatever cause, where another thread can send
 * meanwhile. Without one at `beforeExit`, at SIGTERM, and at an uncaught exception as far as its listeners leave time for
 * it. Delays the exit by 2 s at most. SIGTERM ends the process as it would have without us, unless the application listens
 * itself: then it is only flushed, since the application decides how long it goes on.
 */
export function followExit(host: ExitingProcess, work: ExitWork): void {
  let leaving = false;
  const leave = async (code?: unknown): Promise<void> => {
    if (leaving || !work.hasNews()) return;
    leaving = true;
    guarded(() => work.farewell(typeof code === 'number' ? code : undefined));
    if (work.canFlushNow()) guarded(() => work.flushNow());
    else await withinMs(exitDelayMs, () => work.flush());
    leaving = false;
  };
  host.on('beforeExit', (code) => {
    // The process may go on after this one, but not after `exit`.
    if (!work.canFlushNow()) void leave(code);
  });
  host.on('exit', (code) => {
    if (work.canFlushNow()) void leave(code);
  });
  const onTerm = (): void => {
    if (host.listenerCount('SIGTERM') > 1) {
      void withinMs(exitDelayMs, () => work.flush());
      return;
    }
    void leave().then(() => {
      host.removeListener('SIGTERM', onTerm);
      host.kill(host.pid, 'SIGTERM');
    });
  };
  host.on('SIGTERM', onTerm);
  host.on('uncaughtExceptionMonitor', () => {
    // With a listener of its own the application goes on.
    if (host.listenerCount('uncaughtException') === 0) void leave(1);
  });
}

/** Waits for `work`, failed or not, but never longer; keeps the process alive meanwhile. */
export function withinMs(ms: number, work: () => Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const run = async (): Promise<void> => work();
    // A flush that fails has nothing more to give; the SDK has reported why.
    run().then(done, done);
  });
}
