import { systemClocks, systemTimers } from './clocks.ts';
import type { Environment } from './config/environment.ts';
import type { LoadedConfig } from './config/load.ts';
import type { DetectorConfig } from './config/shape.ts';
import { createDetectorService, type Detector, type DetectorOptions } from './detector.ts';
import { CalmLogger } from './log/calm-logger.ts';
import { detectorLog } from './log/detector-log.ts';
import { Redactor } from './log/redactor.ts';
import type { Logger } from './logger.ts';
import { loadPlugins } from './plugins/load-plugins.ts';
import { openStore } from './plugins/open-store.ts';
import type { PluginSet } from './plugins/plugin-set.ts';
import { reload } from './reload/reloader.ts';
import { onSignals } from './supervisor/signals.ts';
import { Systemd } from './supervisor/systemd.ts';

export interface ServeOptions extends Pick<DetectorOptions, 'onEvent' | 'onDelivery'> {
  /** Default: {@link detectorLog} on stdout, as `config.log` says. Secrets are taken out and repetitions held back before it. */
  readonly logger?: Logger;
  /** From `loadDetector`. Default: those of the configuration are loaded here. */
  readonly plugins?: PluginSet;
  /** Stop on SIGTERM and SIGINT; a second signal ends the process at once. Reload on SIGHUP. Default true. */
  readonly handleSignals?: boolean;
  /** Reads the configuration anew, for a reload. Default: there is none, and SIGHUP is not handled. */
  readonly read?: () => LoadedConfig;
  /** Where systemd's variables are looked for. Default `process.env`. */
  readonly environment?: Environment;
  /** Move a damaged database aside and begin with an empty one; it is logged. Default false: the start fails. */
  readonly replaceCorruptStore?: boolean;
}

export interface Served {
  readonly port: number;
  readonly url: string;
  /** Graceful, under 10 s. */
  stop(): Promise<void>;
  /** Takes up a changed configuration, or none of it, and logs what became of each key. False: none of it. */
  reload(): boolean;
  /** Resolves when it has stopped, whoever asked. */
  readonly stopped: Promise<void>;
}

/**
 * Runs the detector with the real clocks, the real store and signals: what `turnwatch serve` calls.
 *
 * @throws ConfigError of a plugin, StoreError, ListenError: with a message for the person who started it. Nothing is left running or open.
 */
export async function serve(config: DetectorConfig, options: ServeOptions = {}): Promise<Served> {
  const clocks = systemClocks();
  const log = options.logger ?? detectorLog(config.log, 1);
  const redactor = new Redactor();
  redactor.know(config);
  const calm = new CalmLogger(redactor.over(log), () => clocks.monoMs());
  const logger: Logger = calm;
  const context = { logger, environment: process.env };
  const plugins = options.plugins ?? (await loadPlugins(config, context));
  plugins.logTo(logger);
  const store = await openStore(config, {
    ...context,
    replaceCorrupt: options.replaceCorruptStore === true,
    wallMs: clocks.wallMs(),
  }).catch(async (error: unknown) => {
    await plugins.stop();
    throw error;
  });
  const letStraysEnd = plugins.catchStrays((error) => {
    logger.error({ err: error }, 'an error that nobody caught ends the process');
    calm.flush();
    process.exit(1);
  });
  const systemd = new Systemd({
    environment: options.environment ?? process.env,
    monoMs: () => clocks.monoMs(),
    logger,
  });
  let made: Detector | undefined;
  try {
    const detector = createDetectorService({
      config,
      store,
      logger,
      plugins,
      clocks,
      onTick: () => systemd.alive(),
      timers: systemTimers(),
      random: Math.random,
      ...(options.onEvent === undefined ? {} : { onEvent: options.onEvent }),
      ...(options.onDelivery === undefined ? {} : { onDelivery: options.onDelivery }),
    });
    made = detector;
    const { port, url } = await detector.start();
    let resolveStopped = (): void => undefined;
    const stopped = new Promise<void>((resolve) => {
      resolveStopped = () => resolve();
    });
    let unhook: (() => void) | undefined;
    const stop = async (): Promise<void> => {
      systemd.stopping();
      try {
        await detector.stop();
      } finally {
        letStraysEnd();
        unhook?.();
        calm.flush();
        systemd.close();
        resolveStopped();
      }
    };
    const { read } = options;
    const reloadNow = (): boolean => {
      if (read === undefined) return false;
      systemd.reloading();
      const taken = reload({
        detector,
        logger,
        read: () => {
          const loaded = read();
          redactor.know(loaded.config);
          return loaded;
        },
        setLevel: (level) => setLevel(log, level),
      });
      systemd.ready();
      return taken;
    };
    if (options.handleSignals !== false)
      unhook = onSignals({ stop, logger, ...(read === undefined ? {} : { reload: reloadNow }) });
    systemd.ready();
    return { port, url, stop, stopped, reload: reloadNow };
  } catch (error) {
    systemd.close();
    try {
      // It may listen and judge already; it stops its plugins and closes its store.
      await made?.stop();
    } catch (fault) {
      logger.error({ err: fault }, 'what was started could not be stopped in full');
    }
    letStraysEnd();
    if (made === undefined) {
      await plugins.stop();
      store.close();
    }
    throw error;
  }
}

/** Loggers as pino can be told another level; others decide for themselves. */
function setLevel(logger: Logger & { level?: string }, level: string): void {
  if (logger.level !== undefined) logger.level = level;
}
