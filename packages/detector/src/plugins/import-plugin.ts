import { type AnyPlugin, apiVersion, type PluginKind, pluginKinds } from '@turnwatch/plugin';
import type { FoundModule } from './find-module.ts';
import { PluginError } from './plugin-error.ts';

/**
 * Loads a module and takes out its plugin.
 * @throws PluginError where there is none in it, or one that this detector cannot use
 */
export async function importPlugin({ url }: FoundModule, named: string): Promise<AnyPlugin> {
  let module: Readonly<Record<string, unknown>>;
  try {
    module = await import(url);
  } catch (error) {
    throw new PluginError(`${named} could not be loaded: ${firstLines(error)}`, ['plugin'], error);
  }
  return checkPlugin(module.plugin ?? (module.default as { plugin?: unknown } | undefined)?.plugin, named);
}

/** @throws PluginError */
function checkPlugin(plugin: unknown, named: string): AnyPlugin {
  if (typeof plugin !== 'object' || plugin === null)
    throw new PluginError(
      `${named} exports no plugin; its module needs: export const plugin = definePlugin({ ... })`,
    );
  const { apiVersion: version, kind, name, create, optionsSchema } = plugin as Partial<AnyPlugin>;
  if (version !== apiVersion) throw new PluginError(wrongVersion(named, version));
  if (kind === undefined || !pluginKinds.includes(kind))
    throw new PluginError(
      `${named} is of kind ${show(kind)}, which this detector does not know; kinds are ${pluginKinds.join(', ')}`,
    );
  if (typeof name !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(name))
    throw new PluginError(
      `${named} has the name ${show(name)}; it needs one of 1 to 64 letters, digits, "_" or "-"`,
    );
  if (typeof create !== 'function')
    throw new PluginError(`${named} has no function "create"; see definePlugin of @turnwatch/plugin`);
  if (optionsSchema !== undefined && typeof optionsSchema['~standard']?.validate !== 'function')
    throw new PluginError(
      `${named} has an optionsSchema that is no Standard Schema; use zod, valibot, arktype or another that is one`,
    );
  return plugin as AnyPlugin;
}

function wrongVersion(named: string, version: unknown): string {
  const about = `${named} is written for version ${show(version)} of the plugin interfaces, this detector has ${apiVersion}`;
  if (typeof version !== 'number') return `${about}; set apiVersion: ${apiVersion} in definePlugin`;
  return version > apiVersion ? `${about}; update the detector` : `${about}; update the plugin`;
}

/** What the instances of a kind must be able to do. */
const needed: Readonly<Record<PluginKind, readonly (readonly [name: string, type: string])[]>> = {
  sink: [['deliver', 'function']],
  probe: [
    ['probe', 'function'],
    ['engine', 'string'],
  ],
  mapper: [
    ['map', 'function'],
    ['selects', 'object'],
    ['precision', 'string'],
    ['exporterDelayMs', 'number'],
  ],
  store: [
    ['load', 'function'],
    ['commit', 'function'],
    ['due', 'function'],
    ['attempted', 'function'],
    ['close', 'function'],
    ['place', 'string'],
  ],
};

/** @throws PluginError where `create` gave something else than its kind promises */
export function checkInstance(kind: PluginKind, instance: unknown, named: string): void {
  const made = typeof instance === 'object' && instance !== null ? (instance as Record<string, unknown>) : {};
  const missing = needed[kind].filter(([key, type]) => typeof made[key] !== type);
  if (missing.length > 0)
    throw new PluginError(
      `${named}: what create() made is no ${kind}: it lacks ${missing.map(([key, type]) => `${key} (${type})`).join(', ')}`,
    );
}

function show(value: unknown): string {
  return value === undefined ? '(none)' : (JSON.stringify(value) ?? typeof value).slice(0, 60);
}

function firstLines(error: unknown): string {
  return (error instanceof Error ? error.message : String(error))
    .split('\n')
    .slice(0, 2)
    .join(' ')
    .slice(0, 400);
}
