import { mappers } from '@turnwatch/mappers';
import type { PluginInstances } from '@turnwatch/plugin';
import type { NetworkPolicy } from '@turnwatch/webhook/send';
import { type Clocks, systemClocks, systemTimers, type Timers } from '../clocks.ts';
import type { Environment } from '../config/environment.ts';
import { type Blame, dotted } from '../config/explain.ts';
import { type ConfigSources, examine, type LoadedConfig } from '../config/load.ts';
import { ConfigError, type ConfigProblem } from '../config/problem.ts';
import type { DetectorConfig, PluginConfig } from '../config/shape.ts';
import type { Logger } from '../logger.ts';
import { assemble, findPlugin, OptionsError } from './assemble.ts';
import { IsolatedProcess } from './isolation/isolated-process.ts';
import { LateLogger } from './late-logger.ts';
import { LoadedPlugin } from './loaded-plugin.ts';
import { checkMapper } from './mapper-selection.ts';
import { checkStore } from './open-store.ts';
import { OwnHost } from './own-host.ts';
import { PluginError } from './plugin-error.ts';
import { PluginGuard } from './plugin-guard.ts';
import { runAs } from './plugin-scope.ts';
import { PluginSet } from './plugin-set.ts';

export interface PluginContext {
  /** Default: lines wait until {@link PluginSet.logTo} says where they go. */
  readonly logger?: Logger;
  /** Where plugins find their secrets. Default: none. */
  readonly environment?: Environment;
  /** Default: this machine's. */
  readonly clocks?: Pick<Clocks, 'wallMs' | 'monoMs'>;
  readonly timers?: Pick<Timers, 'after' | 'every'>;
}

export interface LoadedDetector extends LoadedConfig {
  readonly plugins: PluginSet;
}

/** Loading and making one plugin may take this long: a module can wait for ever. */
const loadTimeoutMs = 10_000;

/**
 * The configuration as by `loadConfig`, and its plugins: loaded, their options checked, made, but not started.
 * @throws {ConfigError} with every problem at once, those of the plugins too. Nothing is left open.
 */
export async function loadDetector(
  sources: ConfigSources = {},
  context: PluginContext = {},
): Promise<LoadedDetector> {
  const { problems, blame, ...loaded } = examine(sources);
  const found: ConfigProblem[] = [...problems];
  const plugins = await makePlugins(
    loaded.config,
    { environment: sources.environment ?? {}, ...context },
    blame,
    found,
  );
  if (found.length === 0) return { ...loaded, plugins };
  await plugins.stop();
  throw new ConfigError(found);
}

/**
 * The plugins of a configuration that was loaded without them.
 * @throws {ConfigError} with every problem at once. Nothing is left open.
 */
export async function loadPlugins(config: DetectorConfig, context: PluginContext = {}): Promise<PluginSet> {
  const found: ConfigProblem[] = [];
  const plugins = await makePlugins(config, context, () => 'plugins', found);
  if (found.length === 0) return plugins;
  await plugins.stop();
  throw new ConfigError(found);
}

async function makePlugins(
  config: DetectorConfig,
  context: PluginContext,
  blame: Blame,
  problems: ConfigProblem[],
): Promise<PluginSet> {
  const problemAt = (path: readonly PropertyKey[], message: string): ConfigProblem => ({
    source: blame(path),
    path: dotted(path),
    message,
  });
  const log = new LateLogger(context.logger);
  const made = await Promise.all(
    withMappers(config).map(async (entry): Promise<LoadedPlugin | readonly ConfigProblem[]> => {
      const at = ['detector', 'plugins', entry.index];
      try {
        return await makePlugin(entry, config, { ...context, logger: log });
      } catch (error) {
        return problemsIn(error, at, problemAt);
      }
    }),
  );
  // In the order of the file, whichever was loaded first.
  problems.push(...made.flatMap((each) => (each instanceof LoadedPlugin ? [] : each)));
  if (config.store !== 'memory' && 'plugin' in config.store)
    problems.push(
      ...(await checkStore(config.store).then(
        () => [],
        (error: unknown) => problemsIn(error, ['detector', 'store'], problemAt),
      )),
    );
  const all = made.filter((each) => each instanceof LoadedPlugin);
  const taken = new Set(config.endpoints.map(({ id }) => id));
  for (const plugin of all) {
    const at = ['detector', 'plugins', plugin.config.index, 'id'];
    if (taken.has(plugin.id))
      problems.push(
        problemAt(at, `"${plugin.id}" is used twice among plugins and endpoints; give this one another id`),
      );
    taken.add(plugin.id);
  }
  return new PluginSet(all, log);
}

type ProblemAt = (path: readonly PropertyKey[], message: string) => ConfigProblem;

/** @throws what is no mistake in the configuration */
function problemsIn(
  error: unknown,
  at: readonly PropertyKey[],
  problemAt: ProblemAt,
): readonly ConfigProblem[] {
  if (error instanceof OptionsError)
    return error.problems.map(({ path, message }) => problemAt([...at, ...path], message));
  if (error instanceof PluginError) return [problemAt([...at, ...error.path], error.message)];
  throw error;
}

/** Those that are built in are there without being asked for; one that is configured has its own entry. */
function withMappers({ plugins, mappers: wanted }: DetectorConfig): readonly PluginConfig[] {
  if (!wanted) return plugins;
  const taken = new Set(plugins.flatMap(({ plugin, id }) => [plugin, id ?? plugin]));
  const added = mappers.flatMap(({ name }, at): PluginConfig[] =>
    taken.has(name) ? [] : [{ plugin: name, index: plugins.length + at, directory: '.' }],
  );
  return [...plugins, ...added];
}

async function makePlugin(
  config: PluginConfig,
  detector: DetectorConfig,
  context: PluginContext & { readonly logger: Logger },
): Promise<LoadedPlugin> {
  const { logger, environment = {}, clocks = systemClocks() } = context;
  const timers = context.timers ?? systemTimers();
  const spec = { plugin: config.plugin, directory: config.directory, options: config.options };
  const network: NetworkPolicy = {
    allowLoopback: config.allowLoopback ?? detector.webhook.allowLoopback,
    allowPrivate: config.allowPrivate ?? detector.webhook.allowPrivate,
  };
  if (config.isolate === true) return isolated(config, network, { logger, clocks, timers, environment });
  let clean = (text: string): string => text;
  const definition = await within(timers, `loading ${config.plugin}`, findPlugin(spec));
  const { kind, name } = definition.plugin;
  refuseStore(kind, config);
  const id = config.id ?? name;
  const guard = new PluginGuard({
    id,
    kind,
    folder: definition.folder,
    clocks,
    after: timers.after,
    logger,
    clean: (text) => clean(text),
  });
  const host = new OwnHost({
    id,
    clocks,
    timers,
    logger,
    environment,
    network:
      kind === 'probe' && config.allowLoopback === undefined ? { ...network, allowLoopback: true } : network,
    onStray: (error) => guard.stray(error),
  });
  clean = (text) => host.redactor.text(text);
  try {
    const make = async (): Promise<PluginInstances[typeof kind]> => {
      const { instance } = await runAs(guard, () => assemble(definition, spec, host));
      return instance as PluginInstances[typeof kind];
    };
    const instance = await within(timers, `create() of ${config.plugin}`, make());
    if (kind === 'mapper') checkMapper(instance as PluginInstances['mapper'], config.plugin);
    return new LoadedPlugin({ config, kind, instance, guard, another: make, release: () => host.stop() });
  } catch (error) {
    host.stop();
    throw error;
  }
}

async function isolated(
  config: PluginConfig,
  network: NetworkPolicy,
  parts: Required<PluginContext>,
): Promise<LoadedPlugin> {
  const { logger, clocks, timers, environment } = parts;
  let guard: PluginGuard | undefined;
  const isolated = new IsolatedProcess({
    spec: {
      plugin: config.plugin,
      directory: config.directory,
      options: config.options,
      id: config.id,
      network,
      loopbackOpen: config.allowLoopback === undefined,
      environment: { ...environment },
    },
    after: timers.after,
    monoMs: () => clocks.monoMs(),
    logger,
    onStray: (error) => guard?.stray(error),
  });
  try {
    const { kind, id, instance } = await within(timers, `loading ${config.plugin}`, isolated.load());
    refuseStore(kind, config);
    if (kind === 'mapper') checkMapper(instance as PluginInstances['mapper'], config.plugin);
    guard = new PluginGuard({
      id,
      kind,
      // Its errors happen in its own process.
      folder: '',
      clocks,
      after: timers.after,
      logger,
      // Its process has taken the secrets out already.
      clean: (text) => text,
    });
    return new LoadedPlugin({
      config,
      kind,
      instance: instance as PluginInstances[typeof kind],
      guard,
      release: () => isolated.close(),
      restarts: () => isolated.restarts,
    });
  } catch (error) {
    await isolated.close();
    throw error;
  }
}

function refuseStore(kind: string, { plugin }: PluginConfig): void {
  if (kind === 'store')
    throw new PluginError(`${plugin} is a store; name it as detector.store: { plugin: ${plugin} }`);
}

function within<T>(timers: Pick<Timers, 'after'>, what: string, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = timers.after(loadTimeoutMs, () =>
      reject(new PluginError(`${what} did not come to an end within ${loadTimeoutMs / 1000} s`)),
    );
    work.then(resolve, reject).finally(cancel);
  });
}
