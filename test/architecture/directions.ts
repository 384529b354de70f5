import { posix } from 'node:path';
import { importsOf, isTest, packageOf, type SourceFile } from './source-text.ts';
import type { Package } from './workspace.ts';

const scope = '@turnwatch/';
const every = [
  'core',
  'protocol',
  'webhook',
  'plugin',
  'mappers',
  'instrumentation',
  'testing',
  'engines',
  'detector',
  'cli',
];

/**
 * Which packages a package may build on. Imports go up this list only and never sideways, so that the rules stay free
 * of I/O, agents install next to nothing, and every part can be replaced without its neighbours.
 */
const mayUse: Readonly<Record<string, readonly string[]>> = {
  core: [],
  protocol: ['core'],
  // What a plugin's author installs: two packages without dependencies, for their types and the guards of events.
  plugin: ['core', 'webhook'],
  mappers: ['core', 'protocol', 'plugin'],
  instrumentation: ['core', 'protocol'],
  testing: ['core', 'protocol', 'instrumentation'],
  engines: ['protocol', 'plugin'],
  webhook: ['protocol'],
  detector: ['core', 'protocol', 'plugin', 'mappers', 'webhook', 'engines'],
  cli: every,
};

/** The folder names a package may depend on, or undefined when the table does not know the package. */
export function allowedFor(name: string): readonly string[] | undefined {
  if (name.startsWith('instrumentation-')) return ['instrumentation'];
  if (name === 'cli') return undefined;
  return mayUse[name];
}

const shortName = (specifier: string): string | undefined => {
  const name = packageOf(specifier);
  return name?.startsWith(scope) ? name.slice(scope.length) : undefined;
};

/** Agents install instrumentation: names and encoder are inlined into it, and core is there for its types alone. */
function instrumentationFault(specifier: string, typeOnly: boolean): string | undefined {
  const inlined = [`${scope}protocol/wire`, `${scope}protocol/otlp`];
  if (typeOnly || inlined.includes(specifier)) return undefined;
  return `instrumentation may use only ${inlined.join(' and ')} and types, not ${specifier}`;
}

function allows(from: string, to: string): boolean {
  if (from === to || from === 'cli') return true;
  return allowedFor(from)?.includes(to) ?? false;
}

/** Tests may use what the package may use, and the public testing tools where that makes no circle. */
function allowsInTest(from: string, to: string): boolean {
  const wouldCircle = [...(mayUse.testing ?? []), 'testing'].includes(from);
  return allows(from, to) || (to === 'testing' && !wouldCircle);
}

function declaredBy(pkg: Package): { shipped: ReadonlySet<string>; development: ReadonlySet<string> } {
  const { dependencies, peerDependencies, optionalDependencies, devDependencies } = pkg.manifest;
  return {
    shipped: new Set(Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies })),
    development: new Set(Object.keys(devDependencies ?? {})),
  };
}

function relativeFault(pkg: Package, file: SourceFile, specifier: string): string | undefined {
  const target = posix.join(posix.dirname(file.path), specifier);
  return target.startsWith(`${pkg.dir}/`) ? undefined : `${specifier} reaches out of ${pkg.dir}`;
}

/** What is wrong with the imports of one package; one line for each fault, empty when all is well. */
export function importFaults(pkg: Package, rootDevelopment: ReadonlySet<string> = new Set()): string[] {
  const from = pkg.dir.replace(/^packages\//, '');
  if (from !== 'cli' && allowedFor(from) === undefined)
    return [`${pkg.dir}: not in the table of directions.ts`];
  const { shipped, development } = declaredBy(pkg);
  return pkg.sources.flatMap((file) =>
    importsOf(file.text).flatMap(({ specifier, typeOnly, line }) => {
      const faults: (string | undefined)[] = [];
      const to = shortName(specifier);
      const name = packageOf(specifier);
      const test = isTest(file.path);
      if (/^[./]/.test(specifier)) faults.push(relativeFault(pkg, file, specifier));
      if (to !== undefined) {
        if (!(test ? allowsInTest(from, to) : allows(from, to)))
          faults.push(`${from} may not import ${specifier}`);
        if (from === 'instrumentation' && !test && to !== from)
          faults.push(instrumentationFault(specifier, typeOnly));
      }
      if (name !== undefined && name !== pkg.manifest.name && !shipped.has(name)) {
        const inlined = to === 'protocol' && (from === 'instrumentation' || from === 'webhook');
        const known = development.has(name) && (test || typeOnly || inlined);
        if (!known && !(test && rootDevelopment.has(name)))
          faults.push(`${name} is not declared in its package.json`);
      }
      return faults.filter((fault) => fault !== undefined).map((fault) => `${file.path}:${line}: ${fault}`);
    }),
  );
}

/** What is wrong with the dependencies that a package.json and its tsconfig.json declare. */
export function dependencyFaults(pkg: Package): string[] {
  const from = pkg.dir.replace(/^packages\//, '');
  const {
    dependencies,
    peerDependencies,
    peerDependenciesMeta,
    optionalDependencies,
    devDependencies,
    version,
  } = pkg.manifest;
  const faults: string[] = [];
  const shipped = { ...dependencies, ...peerDependencies, ...optionalDependencies };
  for (const [name, range] of Object.entries({ ...devDependencies, ...shipped })) {
    const to = shortName(name);
    if (to === undefined) continue;
    const allowed = name in shipped ? allows(from, to) : allowsInTest(from, to);
    if (!allowed) faults.push(`${from} may not depend on ${name}`);
    if (range !== version) faults.push(`${name} is asked for as ${range}, the workspace is at ${version}`);
  }
  if (from === 'core' && Object.keys(shipped).length > 0) faults.push('core has no dependencies');
  if (from === 'instrumentation') {
    const required = Object.keys(peerDependencies ?? {}).filter(
      (name) => peerDependenciesMeta?.[name]?.optional !== true,
    );
    const extra = [
      ...Object.keys(dependencies ?? {}),
      ...required.filter((name) => name !== '@opentelemetry/api'),
    ];
    if (extra.length > 0)
      faults.push(`agents would have to install ${extra.join(', ')}; @opentelemetry/api is the only one`);
  }
  // A peer is none of them: turbo does not wait for it, and two `tsc -b` would write into its dist at once.
  const declared = Object.keys({ ...devDependencies, ...dependencies }).map(shortName);
  for (const reference of pkg.references) {
    if (!declared.includes(reference))
      faults.push(
        `tsconfig.json references ${reference}, package.json does not: turbo would build in the wrong order`,
      );
  }
  return faults.map((fault) => `${pkg.dir}/package.json: ${fault}`);
}
