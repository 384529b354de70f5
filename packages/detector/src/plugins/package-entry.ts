import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PluginError } from './plugin-error.ts';

// Node resolves packages beside the module that imports them; a plugin is to be found beside the configuration. So the
// package is looked for from there, and its entry is read off its package.json as Node would for `import`.

const conditions: ReadonlySet<string> = new Set(['node', 'import', 'module-sync', 'default']);

interface Manifest {
  readonly exports?: unknown;
  readonly main?: unknown;
}

/**
 * The file that `import` of the package would load.
 * @param subpath `.`, or `./sink` for `package/sink`
 * @throws PluginError where the package does not say
 */
export function packageEntry(folder: string, subpath: string): string {
  const manifest = readManifest(folder);
  if (manifest.exports === undefined || manifest.exports === null)
    return join(
      folder,
      subpath === '.' ? (typeof manifest.main === 'string' ? manifest.main : 'index.js') : subpath,
    );
  const target = targetOf(manifest.exports, subpath);
  if (target === undefined)
    throw new PluginError(
      `${join(folder, 'package.json')} exports no "${subpath}" for import; correct its "exports", or name a file by its path`,
    );
  return join(folder, target);
}

function readManifest(folder: string): Manifest {
  const path = join(folder, 'package.json');
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new PluginError(
      `${path} cannot be read (${error instanceof Error ? error.message : String(error)}); a folder needs one with "exports", else name a file`,
      ['plugin'],
      error,
    );
  }
  return typeof content === 'object' && content !== null ? content : {};
}

function targetOf(exports: unknown, subpath: string): string | undefined {
  if (isMap(exports) && Object.keys(exports).some((key) => key.startsWith('.')))
    return pick(exports[subpath]);
  return subpath === '.' ? pick(exports) : undefined;
}

/** The first that fits, in the order of the file, as Node has it. */
function pick(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry;
  if (Array.isArray(entry)) return entry.map(pick).find((target) => target !== undefined);
  if (!isMap(entry)) return undefined;
  for (const [condition, inner] of Object.entries(entry)) {
    if (!conditions.has(condition) && !ownConditions.has(condition)) continue;
    const target = pick(inner);
    if (target !== undefined) return target;
  }
  return undefined;
}

/** Those that this process was started with. */
const ownConditions: ReadonlySet<string> = new Set(
  process.execArgv.flatMap((argument, index, all) => {
    const [, joined] = /^(?:--conditions|-C)=(.*)$/.exec(argument) ?? [];
    if (joined !== undefined) return [joined];
    return argument === '--conditions' || argument === '-C' ? [all[index + 1] ?? ''] : [];
  }),
);

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
