import { existsSync } from 'node:fs';
// biome-ignore lint/correctness/useImportExtensions: plain JavaScript, with its types beside it
import { binaryOf } from '../../.ci/go-programs.mjs';

type Name = 'otelcol' | 'prometheus';

/** Where a program has not been built its tests are skipped by name, and where CI=true they fail. */
export function isMissing(name: Name): boolean {
  return !existsSync(binaryOf(name)) && process.env.CI !== 'true';
}

/** @throws Error where it has not been built. */
export function pathOf(name: Name): string {
  const path = binaryOf(name);
  if (existsSync(path)) return path;
  throw new Error(`${path} is not there: npm run collector:build -- ${name} (needs Go)`);
}
