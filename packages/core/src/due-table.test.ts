import { expect, test } from 'vitest';
import { DueTable } from './due-table.ts';

function due(table: DueTable, nowMs: number): string[] {
  const seen: string[] = [];
  table.scan(nowMs, (id) => seen.push(id));
  return seen;
}

test('an entry is due at its instant, and stays so until it is set anew', () => {
  const table = new DueTable();
  table.set('a', 100);
  expect(due(table, 99)).toEqual([]);
  expect(due(table, 100)).toEqual(['a']);
  expect(due(table, 101)).toEqual(['a']);
  table.set('a', 200);
  expect(due(table, 101)).toEqual([]);
});

test('a deadline that shrinks is seen at once', () => {
  const table = new DueTable();
  table.set('a', Number.POSITIVE_INFINITY);
  expect(due(table, Number.MAX_SAFE_INTEGER)).toEqual([]);
  table.set('a', 5);
  expect(due(table, 5)).toEqual(['a']);
});

test('places of deleted entries are used again', () => {
  const table = new DueTable(2);
  table.set('a', 1);
  table.set('b', 2);
  table.delete('a');
  table.delete('unknown');
  expect(table.size).toBe(1);
  table.set('c', 3);
  expect(due(table, 3)).toEqual(['c', 'b']);
  table.delete('c');
  expect(due(table, Number.POSITIVE_INFINITY)).toEqual(['b']);
});

test('it grows beyond its first capacity', () => {
  const table = new DueTable(2);
  const ids = Array.from({ length: 100 }, (_, i) => `t${i}`);
  for (const id of ids) table.set(id, 1);
  expect(table.size).toBe(100);
  expect(due(table, 1)).toEqual(ids);
});

test('a visit may change the table', () => {
  const table = new DueTable(1);
  table.set('a', 1);
  table.set('b', 1);
  const seen: string[] = [];
  table.scan(1, (id) => {
    seen.push(id);
    table.delete('b');
    table.set('c', 1);
    table.set('d', 1);
  });
  expect(seen[0]).toBe('a');
  expect(seen).not.toContain('b');
  expect(due(table, 1).sort()).toEqual(['a', 'c', 'd']);
});

test('what is kept with an entry stays through a new deadline and goes with the entry', () => {
  const table = new DueTable<string>();
  expect(table.get('a')).toBeUndefined();
  table.set('a', 1, 'first');
  table.set('b', 2, 'second');
  table.set('a', 3);
  expect(table.get('a')).toBe('first');
  table.delete('a');
  expect(table.get('a')).toBeUndefined();
  expect([...table.values()]).toEqual(['second']);
  table.set('c', 4);
  expect(table.get('c')).toBeUndefined();
});
