import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { variables } from './environment.ts';
import { keysAt } from './schema.ts';

const page = readFileSync(
  fileURLToPath(new URL('../../../../docs/configuration.md', import.meta.url)),
  'utf8',
);
const rows = new Map(
  [...page.matchAll(/^\| `([^`]+)`.*$/gm)].map(([row, key = '']) => [
    key,
    row.split('|').map((cell) => cell.trim()),
  ]),
);

/** Every key of the schema, entries of lists as `list[].key`. */
function keysBelow(path: readonly PropertyKey[], shown: string): readonly string[] {
  return (keysAt(path) ?? []).flatMap((key) => {
    const at = [...path, key];
    const name = shown === '' ? key : `${shown}.${key}`;
    return [name, ...keysBelow(at, name), ...keysBelow([...at, 0], `${name}[]`)];
  });
}

const sections = new Set(keysAt(['detector'])?.filter((key) => keysAt(['detector', key]) !== undefined));

test('docs/configuration.md has every key of the schema, and no other', () => {
  const keys = keysBelow(['detector'], '').filter((key) => !sections.has(key) || rows.has(key));
  expect(keys.length).toBeGreaterThan(60);
  expect(keys.filter((key) => !rows.has(key)).filter((key) => key !== 'policy')).toEqual([]);
  expect([...rows.keys()].filter((key) => !keys.includes(key))).toEqual([]);
});

test('each variable stands beside its key', () => {
  for (const [name, { path }] of variables) {
    const row = rows.get(path.join('.')) ?? rows.get(`${path.join('.')}[]`);
    expect(row?.[4], `${name} of ${path.join('.')}`).toBe(`\`${name}\``);
  }
});
