import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

export type Program = 'prometheus' | 'promtool' | 'amtool';

/** `TURNWATCH_PROMETHEUS` and so on, else the first in the PATH; undefined: this machine has none. */
function findProgram(name: Program): string | undefined {
  const own = process.env[`TURNWATCH_${name.toUpperCase()}`];
  if (own !== undefined && own !== '') return own;
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

/** Where a program is missing its tests are skipped by name, and where CI=true they fail. */
export function skips(name: Program): boolean {
  return findProgram(name) === undefined && process.env.CI !== 'true';
}

export function program(name: Program): string {
  const found = findProgram(name);
  if (found === undefined)
    throw new Error(`no ${name} in the PATH: install it, or set TURNWATCH_${name.toUpperCase()} to its path`);
  return found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
