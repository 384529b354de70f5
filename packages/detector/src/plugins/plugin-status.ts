import type { PluginDocument } from '@turnwatch/protocol';
import type { LoadedPlugin } from './loaded-plugin.ts';

export interface StatusSources {
  /** Left alone for a while. */
  readonly isOpen: (id: string) => boolean;
  /** The last look at its engine failed. */
  readonly isUnreachable: (id: string) => boolean;
}

/** How a plugin stands, as the API shows it; no option is in it. */
export function pluginStatus(plugin: LoadedPlugin, sources: StatusSources): PluginDocument {
  const { guard, config } = plugin;
  return {
    id: plugin.id,
    plugin: config.plugin,
    kind: plugin.kind,
    isolated: config.isolate === true,
    state: stateOf(plugin, sources),
    calls: guard.calls,
    failures: guard.failures,
    timeouts: guard.timeouts,
    uncaught: guard.strays,
    restarts: plugin.restarts ?? 0,
    lastError:
      guard.lastError === undefined
        ? null
        : { message: guard.lastError.message, at: new Date(guard.lastError.atMs).toISOString() },
    ...(isOf(plugin, 'mapper')
      ? { precision: plugin.instance.precision, exporterDelayMs: plugin.instance.exporterDelayMs }
      : {}),
    ...(isOf(plugin, 'probe') ? { engine: plugin.instance.engine } : {}),
  };
}

function stateOf(plugin: LoadedPlugin, { isOpen, isUnreachable }: StatusSources): PluginDocument['state'] {
  if (plugin.stopped) return 'stopped';
  if (plugin.guard.hanging > 0) return 'hanging';
  if (isOpen(plugin.id)) return 'paused';
  if (isUnreachable(plugin.id) || plugin.guard.failuresInRow > 0) return 'failing';
  return plugin.guard.calls === 0 ? 'idle' : 'ok';
}

function isOf<Kind extends LoadedPlugin['kind']>(
  plugin: LoadedPlugin,
  kind: Kind,
): plugin is LoadedPlugin<Kind> {
  return plugin.kind === kind;
}
