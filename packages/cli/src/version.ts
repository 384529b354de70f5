import { readFileSync } from 'node:fs';

/** Of this package, as its package.json says it. */
export function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest)
    return String(manifest.version);
  throw new Error('the package.json of the command has no version: install it again');
}
