import type { Plugin, PluginKind } from './plugin.ts';

/**
 * Types a plugin; at run time it hands back what it is given. Plain JavaScript may leave it out.
 *
 * @example
 * export const plugin = definePlugin({
 *   apiVersion: 1,
 *   kind: 'sink',
 *   name: 'console',
 *   create: () => ({ deliver: async (event) => console.log(event.type, event.subject) }),
 * });
 */
export function definePlugin<Kind extends PluginKind, Options = undefined>(
  plugin: Plugin<Kind, Options>,
): Plugin<Kind, Options> {
  return plugin;
}
