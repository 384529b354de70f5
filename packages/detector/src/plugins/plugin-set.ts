import type { PluginKind } from '@turnwatch/plugin';
import type { Logger } from '../logger.ts';
import { LateLogger } from './late-logger.ts';
import type { LoadedPlugin } from './loaded-plugin.ts';
import type { CallReport } from './plugin-guard.ts';
import { catchStrays } from './plugin-scope.ts';

/** The plugins of one detector. */
export class PluginSet {
  readonly all: readonly LoadedPlugin[];

  readonly #log: LateLogger;

  constructor(all: readonly LoadedPlugin[] = [], log: LateLogger = new LateLogger()) {
    this.all = all;
    this.#log = log;
  }

  /** Where the plugins' own lines go. Those written before are written then. */
  logTo(logger: Logger): void {
    this.#log.bind(logger);
  }

  ofKind<Kind extends PluginKind>(kind: Kind): readonly LoadedPlugin<Kind>[] {
    return this.all.filter((plugin): plugin is LoadedPlugin<Kind> => plugin.kind === kind);
  }

  set onCall(listener: (report: CallReport) => void) {
    for (const plugin of this.all) plugin.onCall = listener;
  }

  /** Starts all of them at once; one that cannot start is told, and tried again when it is called. */
  async start(logger: Logger): Promise<void> {
    await Promise.all(
      this.all.map((plugin) =>
        plugin
          .start()
          .catch((error: unknown) =>
            logger.error(
              { plugin: plugin.id, why: plugin.guard.textOf(error) },
              'a plugin could not be started; it is tried again when it is needed',
            ),
          ),
      ),
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map((plugin) => plugin.stop()));
  }

  /** Uncaught errors of these plugins no longer end the process. The answer takes it back. */
  catchStrays(fatal: (error: unknown) => void): () => void {
    if (this.all.length === 0) return () => undefined;
    return catchStrays(() => this.all.map(({ guard }) => guard), fatal);
  }
}
