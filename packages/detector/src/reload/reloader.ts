import type { LoadedConfig } from '../config/load.ts';
import { ConfigError } from '../config/problem.ts';
import type { Detector } from '../detector.ts';
import type { Logger } from '../logger.ts';

export interface ReloaderOptions {
  readonly detector: Pick<Detector, 'reload'>;
  /** Reads file and environment anew. */
  readonly read: () => LoadedConfig;
  readonly logger: Logger;
  readonly setLevel: (level: LoadedConfig['config']['log']['level']) => void;
}

/** Takes up a changed configuration, or none of it, and says key by key what became of it. True: taken up. */
export function reload({ detector, read, logger, setLevel }: ReloaderOptions): boolean {
  try {
    const { config, warnings } = read();
    const changes = detector.reload(config);
    setLevel(config.log.level);
    for (const warning of warnings) logger.warn({}, warning);
    for (const { needsRestart, ...change } of changes) {
      if (needsRestart) logger.warn(change, 'a changed key needs a restart; until then the old value holds');
      else logger.info(change, 'a key was changed');
    }
    logger.info(
      { changed: changes.filter(({ needsRestart }) => !needsRestart).length, of: changes.length },
      changes.length === 0
        ? 'the configuration was read again; nothing differs'
        : 'the configuration was reloaded',
    );
    return true;
  } catch (error) {
    const problems = error instanceof ConfigError ? error.message.split('\n') : undefined;
    logger.error(
      problems === undefined ? { err: error } : { problems },
      'the configuration was not reloaded; everything stays as it was',
    );
    return false;
  }
}
