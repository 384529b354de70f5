import { auto, llamaCpp, lmStudio, ollama, prometheus, sglang, tgi, vllm } from '@turnwatch/engines';
import { mappers } from '@turnwatch/mappers';
import type { AnyPlugin, PluginKind } from '@turnwatch/plugin';
import { a2a } from './built-in/a2a.ts';
import { log } from './built-in/log.ts';
import { memory, sqlite } from './built-in/stores.ts';
import { webhook } from './built-in/webhook.ts';

/** For lists of them. */
export function builtInPlugins(): readonly { readonly name: string; readonly kind: PluginKind }[] {
  return [...builtIns.values()].map(({ name, kind }) => ({ name, kind }));
}

const probes = [auto, llamaCpp, vllm, sglang, tgi, ollama, lmStudio, prometheus];

/** What needs no package: plugins of the same four interfaces as everybody's, by their names. */
export const builtIns: ReadonlyMap<string, AnyPlugin> = new Map(
  ([log, webhook, a2a, ...mappers, ...probes, memory, sqlite] as readonly AnyPlugin[]).map((plugin) => [
    plugin.name,
    plugin,
  ]),
);
