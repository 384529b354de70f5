import { existsSync, realpathSync, statSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { packageEntry } from './package-entry.ts';
import { PluginError } from './plugin-error.ts';

/** A plugin's module. */
export interface FoundModule {
  /** What `import()` takes. */
  readonly url: string;
  /** Stack traces of the plugin name files below it. */
  readonly folder: string;
}

/**
 * Finds what the configuration names: `./`, `../`, absolute and `file:` are paths, from the folder of the configuration;
 * anything else is a package, looked for from that folder upwards and then beside the detector itself.
 * @throws PluginError where there is none
 */
export function findModule(plugin: string, directory: string): FoundModule {
  if (isPath(plugin)) return findFile(plugin.startsWith('file:') ? fileURLToPath(plugin) : plugin, directory);
  const [name, subpath] = splitName(plugin);
  const manifest =
    findPackage(name, join(directory, 'turnwatch.yaml')) ?? findPackage(name, fileURLToPath(import.meta.url));
  if (manifest === undefined)
    throw new PluginError(
      `there is no package ${name} to be found from ${directory}; install it there: npm install ${name}` +
        `${existsSync(resolve(directory, plugin)) ? ` (or did you mean the path ./${plugin}?)` : ''}`,
    );
  const folder = dirname(manifest);
  return found(packageEntry(folder, subpath), folder);
}

/** The first two characters say whether a path is meant. */
function isPath(plugin: string): boolean {
  return /^\.{1,2}([\\/]|$)/.test(plugin) || isAbsolute(plugin) || plugin.startsWith('file:');
}

function findFile(path: string, directory: string): FoundModule {
  const full = resolve(directory, path);
  const stat = statSync(full, { throwIfNoEntry: false });
  if (stat === undefined)
    throw new PluginError(
      `there is no ${full}; paths begin at the folder of the configuration file (${directory})`,
    );
  return stat.isDirectory() ? found(packageEntry(full, '.'), full) : found(full, dirname(full));
}

function found(file: string, folder: string): FoundModule {
  if (!existsSync(file))
    throw new PluginError(`its entry ${file} is not there; build it, or correct its package.json`);
  return { url: pathToFileURL(realpathSync(file)).href, folder: realpathSync(folder) };
}

function splitName(specifier: string): [name: string, subpath: string] {
  const [, name, rest] = /^((?:@[^/]+\/)?[^/]+)(\/.*)?$/.exec(specifier) ?? [];
  if (name === undefined || !/^(?:@[a-z0-9._~-]+\/)?[a-z0-9_~-][a-z0-9._~-]*$/i.test(name))
    throw new PluginError(
      `${JSON.stringify(specifier)} is neither a path (./plugin.js) nor the name of a package`,
    );
  return [name, rest === undefined ? '.' : `.${rest}`];
}

function findPackage(name: string, from: string): string | undefined {
  try {
    return findPackageJSON(name, pathToFileURL(from));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}
