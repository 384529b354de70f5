import { systemClocks, systemTimers } from '../clocks.ts';
import type { Environment } from '../config/environment.ts';
import { ConfigError } from '../config/problem.ts';
import type { DetectorConfig, StoreConfig } from '../config/shape.ts';
import { type Logger, silentLogger } from '../logger.ts';
import { openSqliteStore } from '../store/open-sqlite-store.ts';
import type { TurnStore } from '../store/turn-store.ts';
import { assemble, type Definition, findPlugin, OptionsError, type PluginSpec } from './assemble.ts';
import { checkOptions } from './check-options.ts';
import { OwnHost } from './own-host.ts';
import { PluginError } from './plugin-error.ts';

/** The plugin that a store is, built in or not. */
function storeSpec(store: StoreConfig): PluginSpec {
  if (store === 'memory') return { plugin: 'memory', directory: '.', options: undefined };
  if ('plugin' in store) return { plugin: store.plugin, directory: store.directory, options: store.options };
  return { plugin: 'sqlite', directory: '.', options: { file: store.file } };
}

/** @throws PluginError where it is no store that can be used */
async function findStore(spec: PluginSpec): Promise<Definition> {
  const definition = await findPlugin(spec);
  if (definition.plugin.kind !== 'store')
    throw new PluginError(
      `${spec.plugin} is a ${definition.plugin.kind}, not a store; name it in detector.plugins`,
    );
  return definition;
}

/**
 * Looks whether the store of the configuration can be used, as far as that is possible without opening it.
 * @throws PluginError
 */
export async function checkStore(store: StoreConfig): Promise<void> {
  const spec = storeSpec(store);
  const { plugin } = await findStore(spec);
  const checked = await checkOptions(plugin.optionsSchema, spec.options);
  if (checked.problems !== undefined) throw OptionsError.below(checked.problems);
}

export interface StoreContext {
  /** Default: none. */
  readonly logger?: Logger;
  readonly environment?: Environment;
  /** Of a database: set a broken one aside and begin anew. Default false. */
  readonly replaceCorrupt?: boolean;
  /** Now, for the name of what is set aside. Default: by this machine's clock. */
  readonly wallMs?: number;
}

/**
 * Opens the store of the configuration.
 * @throws StoreError of the built-in ones; ConfigError where a plugin cannot be used or its options do not fit
 */
export async function openStore(config: DetectorConfig, context: StoreContext = {}): Promise<TurnStore> {
  const { logger = silentLogger, replaceCorrupt = false, wallMs = systemClocks().wallMs() } = context;
  // The built-in database mends more than an option of a plugin can say.
  if (config.store !== 'memory' && 'file' in config.store)
    return openSqliteStore(config.store.file, { logger, replaceCorrupt, wallMs });
  const spec = storeSpec(config.store);
  try {
    const definition = await findStore(spec);
    const host = new OwnHost({
      id: definition.plugin.name,
      clocks: systemClocks(),
      timers: systemTimers(),
      logger,
      environment: context.environment ?? {},
      network: config.webhook,
      onStray: (error) => logger.error({ err: error, plugin: spec.plugin }, 'a timer of the store failed'),
    });
    const { instance } = await assemble(definition, spec, host);
    return instance as TurnStore;
  } catch (error) {
    if (!(error instanceof PluginError)) throw error;
    // A store's own error says more than that its create() threw.
    if (error.cause instanceof Error && error.cause.name === 'StoreError') throw error.cause;
    throw new ConfigError([{ source: 'store', path: 'detector.store', message: error.message }]);
  }
}
