import { pino } from 'pino';
import { systemClocks, systemTimers } from './clocks.ts';
import type { DetectorConfig } from './config/shape.ts';
import { createDetectorService, type DetectorOptions } from './detector.ts';
import type { Logger } from './logger.ts';
import { MemoryStore } from './store/memory-store.ts';
import { SqliteStore } from './store/sqlite-store.ts';

/** After a stop by signal, for whoever waits for `stopped` and still has something to say. */
const lastWordsMs = 500;

export interface ServeOptions extends Pick<DetectorOptions, 'onEvent' | 'onDelivery'> {
  /** Default: pino, JSON lines on stdout, at `config.log.level`. */
  readonly logger?: Logger;
  /** Stop on SIGTERM and SIGINT; a second signal ends the process at once. Default true. */
  readonly handleSignals?: boolean;
}

export interface Served {
  readonly port: number;
  readonly url: string;
  /** Graceful, under 10 s. */
  stop(): Promise<void>;
  /** Resolves when it has stopped, whoever asked. */
  readonly stopped: Promise<void>;
}

/**
 * Runs the detector with the real clocks, the real store and signals: what `turnwatch serve` calls.
 *
 * @throws StoreError, ListenError: with a message for the person who started it. Nothing is left running or open.
 */
export async function serve(config: DetectorConfig, options: ServeOptions = {}): Promise<Served> {
  const logger = options.logger ?? pino({ name: 'turnwatch', level: config.log.level });
  const store = config.store === 'memory' ? new MemoryStore() : SqliteStore.open(config.store.file);
  try {
    const detector = createDetectorService({
      config,
      store,
      logger,
      clocks: systemClocks(),
      timers: systemTimers(),
      random: Math.random,
      ...(options.onEvent === undefined ? {} : { onEvent: options.onEvent }),
      ...(options.onDelivery === undefined ? {} : { onDelivery: options.onDelivery }),
    });
    const { port, url } = await detector.start();
    let resolveStopped = (): void => undefined;
    const stopped = new Promise<void>((resolve) => {
      resolveStopped = () => resolve();
    });
    let unhook: (() => void) | undefined;
    const stop = async (): Promise<void> => {
      try {
        await detector.stop();
      } finally {
        unhook?.();
        resolveStopped();
      }
    };
    if (options.handleSignals !== false) unhook = stopOnSignals(stop, logger);
    return { port, url, stop, stopped };
  } catch (error) {
    store.close();
    throw error;
  }
}

function stopOnSignals(stop: () => Promise<void>, logger: Logger): () => void {
  let asked = false;
  const onSignal = (signal: NodeJS.Signals): void => {
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
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  return () => {
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal);
  };
}
