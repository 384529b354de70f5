import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import config from '../../packages/instrumentation/rolldown.config.ts';

// One line of OpenTelemetry: a folder from which its versions are found, with the built package copied in as npm would
// install it, and the agents beside it.

const packageFolder = fileURLToPath(new URL('../../packages/instrumentation/', import.meta.url));
const agentsFolder = fileURLToPath(new URL('agents/', import.meta.url));

/** Bundles the package as published into `folder`. */
async function buildPackage(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  cpSync(join(packageFolder, 'package.json'), join(folder, 'package.json'));
  const output = Array.isArray(config.output) ? config.output[0] : config.output;
  await build({ ...config, cwd: packageFolder, output: { ...output, dir: join(folder, 'dist') } });
}

async function prepare(folder: string): Promise<string> {
  rmSync(folder, { recursive: true, force: true });
  await buildPackage(join(folder, 'node_modules/@turnwatch/instrumentation'));
  cpSync(agentsFolder, folder, { recursive: true });
  return folder;
}

/** The 2.x line, which npm keeps in this package's own node_modules. @returns the folder of its agents. */
export function prepareLine2(): Promise<string> {
  return prepare(fileURLToPath(new URL('node_modules/.line-2x/', import.meta.url)));
}

/** The 3.x line, as the instrumentation package itself finds it. */
export function prepareLine3(): Promise<string> {
  return prepare(join(packageFolder, 'node_modules/.line-3x'));
}

/** A place outside of the repository with nothing but the API. */
export async function prepareApiOnly(folder: string): Promise<string> {
  await prepare(folder);
  mkdirSync(join(folder, 'node_modules/@opentelemetry'), { recursive: true });
  symlinkSync(
    homeOf('@opentelemetry/api', packageFolder),
    join(folder, 'node_modules/@opentelemetry/api'),
    'dir',
  );
  return folder;
}

/** Version of an OpenTelemetry package as the agents in `folder` find it. */
export function versionIn(folder: string, name: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(homeOf(name, folder), 'package.json'), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : '';
}

/** Folder of a package as a file in `folder` finds it. Not every one exports its package.json. */
function homeOf(name: string, folder: string): string {
  const entry = createRequire(join(folder, 'agent.mjs')).resolve(name);
  return entry.slice(0, entry.lastIndexOf(join('node_modules', name)) + join('node_modules', name).length);
}
