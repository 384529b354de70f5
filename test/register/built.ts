import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import config from '../../packages/instrumentation/rolldown.config.ts';

const packageFolder = fileURLToPath(new URL('../../packages/instrumentation/', import.meta.url));
const appsFolder = fileURLToPath(new URL('apps/', import.meta.url));

/**
 * A folder with the apps and the package as it is published, bundled for whatever Node runs it. What else the apps import
 * is found from where the folder lies.
 */
export async function builtIn(folder: string): Promise<string> {
  rmSync(folder, { recursive: true, force: true });
  const installed = join(folder, 'node_modules/@turnwatch/instrumentation');
  mkdirSync(installed, { recursive: true });
  cpSync(join(packageFolder, 'package.json'), join(installed, 'package.json'));
  const output = Array.isArray(config.output) ? config.output[0] : config.output;
  await build({ ...config, cwd: packageFolder, output: { ...output, dir: join(installed, 'dist') } });
  cpSync(appsFolder, folder, { recursive: true });
  return folder;
}

/** Makes a package that is installed in `from` importable in `folder`. */
export function link(name: string, from: string, folder: string): void {
  const place = join(folder, 'node_modules', name);
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(join(from, 'node_modules', name), place, 'dir');
}
