import type { Logger } from '../logger.ts';
import { hasTerminal } from './terminal.ts';

/** After a stop by signal, for whoever waits for `stopped` and still has something to say. */
const lastWordsMs = 500;

export interface SignalOptions {
  readonly stop: () => Promise<void>;
  /** Without it SIGHUP does what it does to every process. */
  readonly reload?: () => boolean;
  readonly logger: Logger;
}

/** SIGTERM and SIGINT stop, a second one ends at once; SIGHUP reloads. The answer unhooks all of it. */
export function onSignals({ stop, reload, logger }: SignalOptions): () => void {
  let asked = false;
  const hadTerminal = hasTerminal();
  const onStop = (signal: NodeJS.Signals): void => {
    if (asked) process.exit(1);
    asked = true;
    logger.info({ signal }, 'stopping; a second signal ends at once');
    stop()
      .catch((error: unknown) => {
        logger.error({ err: error }, 'the stop failed');
        process.exitCode = 1;
      })
      // A POST that an endpoint leaves hanging would keep the process for its whole time-out; its event is in the outbox.
      .finally(() => setTimeout(() => process.exit(), lastWordsMs).unref());
  };
  const onHangUp = (signal: NodeJS.Signals): void => {
    if (asked) return;
    // The terminal was closed: a detector that nobody can stop any more would keep its port.
    if (hadTerminal && !hasTerminal()) onStop(signal);
    else reload?.();
  };
  process.on('SIGTERM', onStop).on('SIGINT', onStop);
  if (reload !== undefined) process.on('SIGHUP', onHangUp);
  return () => {
    process.off('SIGTERM', onStop).off('SIGINT', onStop).off('SIGHUP', onHangUp);
  };
}
