import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const statement =
  /^(?:import|export)\s+(type\s)?[^;]*?\sfrom\s+'([^']+)'|^import\s+'([^']+)'|\bimport\(\s*'([^']+)'/gm;

/** Every file that an entry reaches at run time, and every module outside of them. */
function graph(entry: URL): { files: Set<string>; outside: Set<string> } {
  const files = new Set<string>();
  const outside = new Set<string>();
  const open = [entry];
  for (let url = open.pop(); url !== undefined; url = open.pop()) {
    if (files.has(url.href)) continue;
    files.add(url.href);
    for (const [, isType, from, bare, dynamic] of readFileSync(url, 'utf8').matchAll(statement)) {
      const specifier = from ?? bare ?? dynamic ?? '';
      if (isType !== undefined) continue;
      if (specifier.startsWith('.')) open.push(new URL(specifier, url));
      else outside.add(specifier);
    }
  }
  return { files, outside };
}

describe('what is bundled into the instrumentation', () => {
  it.each(['./wire.ts', './otlp/index.ts'])('%s reaches nothing but files of its own', (entry) => {
    const { files, outside } = graph(new URL(entry, import.meta.url));
    expect([...outside]).toEqual([]);
    expect(files.size).toBeGreaterThan(5);
    expect([...files].filter((file) => /\/src\/(event|api)\//.test(file))).toEqual([]);
  });

  it('is told from what is not: the graph of the index does reach zod and node:crypto', () => {
    const { outside } = graph(new URL('./index.ts', import.meta.url));
    expect([...outside].sort()).toEqual(['node:crypto', 'zod']);
  });

  it.each(['./wire.ts', './otlp/index.ts'])('%s uses no global that Node alone has', (entry) => {
    for (const file of graph(new URL(entry, import.meta.url)).files)
      expect(readFileSync(new URL(file), 'utf8')).not.toMatch(
        /(?<![./\w])(Buffer|process|require|setImmediate)\b\s*[.(]/,
      );
  });
});
