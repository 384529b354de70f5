import type { Manifest } from './workspace.ts';

const conditions = ['@turnwatch/source', 'types', 'default'];

function entryFaults(key: string, entry: unknown): string[] {
  if (key === './package.json')
    return entry === './package.json' ? [] : ['exports["./package.json"] must be "./package.json"'];
  if (typeof entry === 'string')
    return entry.endsWith('.json') ? [] : [`exports["${key}"] needs the conditions ${conditions.join(', ')}`];
  const names = Object.keys((entry ?? {}) as object);
  // Node takes the first condition that fits: the source condition must come before the others, and default last.
  return names.join() === conditions.join()
    ? []
    : [`exports["${key}"] has [${names.join(', ')}], not [${conditions.join(', ')}]`];
}

/** What a published package.json lacks; empty when all is well. */
export function manifestFaults(path: string, manifest: Manifest): string[] {
  const faults: string[] = [];
  if (manifest.license !== 'Apache-2.0') faults.push('license must be Apache-2.0');
  if (manifest.type !== 'module') faults.push('type must be module');
  if (!manifest.engines?.node) faults.push('engines.node is missing');
  if (!manifest.files?.includes('dist')) faults.push('files must list dist');
  if (manifest.exports?.['./package.json'] === undefined) faults.push('exports lacks ./package.json');
  for (const [key, entry] of Object.entries(manifest.exports ?? {})) faults.push(...entryFaults(key, entry));
  return faults.map((fault) => `${path}: ${fault}`);
}

/** Two versions of one library break its types: which versions of `name` the manifests ask for, and by whom. */
export function versionFaults(name: string, manifests: readonly Manifest[]): string[] {
  const asked = new Map<string, string[]>();
  for (const {
    name: by,
    dependencies,
    devDependencies,
    peerDependencies,
    optionalDependencies,
  } of manifests) {
    const version = { ...devDependencies, ...optionalDependencies, ...peerDependencies, ...dependencies }[
      name
    ];
    if (version !== undefined) asked.set(version, [...(asked.get(version) ?? []), by]);
  }
  if (asked.size <= 1) return [];
  return [...asked].map(([version, by]) => `${name} ${version} is asked for by ${by.join(', ')}`);
}
