import { describe, expect, test } from 'vitest';
import { allowedFor, dependencyFaults, importFaults } from './directions.ts';
import { type Manifest, type Package, readManifest, readPackages } from './workspace.ts';

const rootDevelopment = new Set(Object.keys(readManifest('package.json').devDependencies ?? {}));

describe.each(readPackages().map((pkg) => [pkg.dir, pkg] as const))('%s', (_, pkg) => {
  test('has sources', () => expect(pkg.sources).not.toHaveLength(0));
  test('imports only upwards and only what it declares', () =>
    expect(importFaults(pkg, rootDevelopment)).toEqual([]));
  test('depends only upwards', () => expect(dependencyFaults(pkg)).toEqual([]));
});

function fixture(name: string, text: string, manifest: Partial<Manifest> = {}, file = 'a.ts'): Package {
  return {
    dir: `packages/${name}`,
    manifest: { name: `@turnwatch/${name}`, version: '1.0.0', ...manifest },
    references: [],
    sources: [{ path: `packages/${name}/src/${file}`, text }],
  };
}

const needs = (...names: string[]): Partial<Manifest> => ({
  dependencies: Object.fromEntries(names.map((name) => [name, '1.0.0'])),
});

describe('importFaults', () => {
  test.each([
    ['core', '@turnwatch/protocol'],
    ['protocol', '@turnwatch/webhook'],
    ['mappers', '@turnwatch/engines'],
    ['testing', '@turnwatch/detector'],
    ['engines', '@turnwatch/core'],
    ['webhook', '@turnwatch/core'],
    ['detector', '@turnwatch/instrumentation'],
    ['detector', '@turnwatch/cli'],
    ['instrumentation-mcp', '@turnwatch/protocol'],
    ['instrumentation-mcp', '@turnwatch/instrumentation-acp'],
  ])('%s may not import %s, not even as a type', (from, to) => {
    const fault = [`packages/${from}/src/a.ts:1: ${from} may not import ${to}`];
    expect(importFaults(fixture(from, `import { x } from '${to}';`, needs(to)))).toEqual(fault);
    expect(importFaults(fixture(from, `import type { X } from '${to}';`, needs(to)))).toEqual(fault);
  });

  test.each([
    ['protocol', '@turnwatch/core'],
    ['detector', '@turnwatch/webhook/send'],
    ['cli', '@turnwatch/detector'],
    ['instrumentation-mcp', '@turnwatch/instrumentation'],
  ])('%s may import %s', (from, to) => {
    const name = to.split('/').slice(0, 2).join('/');
    expect(importFaults(fixture(from, `import { x } from '${to}';`, needs(name)))).toEqual([]);
  });

  test('instrumentation takes the wire names and types, nothing else', () => {
    const development = { devDependencies: { '@turnwatch/core': '1.0.0', '@turnwatch/protocol': '1.0.0' } };
    const faults = (text: string): string[] => importFaults(fixture('instrumentation', text, development));
    expect(faults("import { names } from '@turnwatch/protocol/wire';")).toEqual([]);
    expect(faults("import type { Signal } from '@turnwatch/core';")).toEqual([]);
    expect(faults("import { parse } from '@turnwatch/protocol';")).toHaveLength(1);
    expect(faults("import { transition } from '@turnwatch/core';")).toHaveLength(2);
  });

  test('a package that is not declared is a fault, also as a type', () => {
    const undeclared = ['packages/detector/src/a.ts:1: express is not declared in its package.json'];
    expect(importFaults(fixture('detector', "import express from 'express';"))).toEqual(undeclared);
    expect(importFaults(fixture('detector', "import type { X } from 'express/lib';"))).toEqual(undeclared);
  });

  test('development dependencies are not there at run time', () => {
    const development = { devDependencies: { yaml: '1.0.0' } };
    expect(importFaults(fixture('detector', "import { parse } from 'yaml';", development))).toHaveLength(1);
    expect(importFaults(fixture('detector', "import type { Y } from 'yaml';", development))).toEqual([]);
    expect(
      importFaults(fixture('detector', "import { parse } from 'yaml';", development, 'a.test.ts')),
    ).toEqual([]);
  });

  test('tests may use the development tools of the root and the testing package, where that makes no circle', () => {
    const vitest = "import { test } from 'vitest';";
    expect(importFaults(fixture('core', vitest, {}, 'a.test.ts'), new Set(['vitest']))).toEqual([]);
    expect(importFaults(fixture('core', vitest, {}), new Set(['vitest']))).toHaveLength(1);
    const testing = "import { x } from '@turnwatch/testing';";
    expect(importFaults(fixture('detector', testing, needs('@turnwatch/testing'), 'a.test.ts'))).toEqual([]);
    expect(importFaults(fixture('detector', testing, needs('@turnwatch/testing')))).toHaveLength(1);
    expect(importFaults(fixture('core', testing, needs('@turnwatch/testing'), 'a.test.ts'))).toHaveLength(1);
  });

  test('relative imports stay in their package', () => {
    expect(importFaults(fixture('core', "import '../../protocol/src/a.ts';"))).toHaveLength(1);
    expect(importFaults(fixture('core', "import '../../core-two/src/a.ts';"))).toHaveLength(1);
    expect(importFaults(fixture('core', "import './b.ts';"))).toEqual([]);
  });

  test('a package that the table does not know is a fault', () => {
    expect(allowedFor('helpers')).toBeUndefined();
    expect(importFaults(fixture('helpers', ''))).toEqual([
      'packages/helpers: not in the table of directions.ts',
    ]);
  });
});

describe('dependencyFaults', () => {
  test('a declared dependency against the direction is a fault before anyone imports it', () => {
    expect(dependencyFaults(fixture('protocol', '', needs('@turnwatch/detector')))).toHaveLength(1);
    expect(dependencyFaults(fixture('core', '', needs('zod')))).toHaveLength(1);
  });

  test('workspace versions are exact', () => {
    expect(
      dependencyFaults(fixture('protocol', '', { dependencies: { '@turnwatch/core': '^1.0.0' } })),
    ).toHaveLength(1);
    expect(dependencyFaults(fixture('protocol', '', needs('@turnwatch/core')))).toEqual([]);
  });

  test('instrumentation asks agents for the OpenTelemetry API and nothing more', () => {
    const peers = { '@opentelemetry/api': '1', '@opentelemetry/sdk-node': '1' };
    const optional = { '@opentelemetry/sdk-node': { optional: true } };
    const faults = (manifest: Partial<Manifest>): string[] =>
      dependencyFaults(fixture('instrumentation', '', manifest));
    expect(faults({ peerDependencies: peers, peerDependenciesMeta: optional })).toEqual([]);
    expect(faults({ peerDependencies: peers })).toHaveLength(1);
    expect(faults(needs('yaml'))).toHaveLength(1);
  });

  test('a project reference without a dependency is a fault', () => {
    expect(dependencyFaults({ ...fixture('webhook', ''), references: ['protocol'] })).toHaveLength(1);
    const peer = fixture('instrumentation-mcp', '');
    const manifest = { ...peer.manifest, peerDependencies: { '@turnwatch/instrumentation': '0.1.0' } };
    expect(dependencyFaults({ ...peer, manifest, references: ['instrumentation'] })).toContainEqual(
      expect.stringContaining('turbo would build in the wrong order'),
    );
  });
});
