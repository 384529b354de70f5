import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ToldInFolder, ToldInMemory } from './told-before.ts';

const scratch = mkdtempSync(join(tmpdir(), 'turnwatch-told-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
const target = { kind: 'parent', id: '../../etc/passwd' } as const;

it.each([
  ['memory', () => new ToldInMemory()],
  ['a folder', () => new ToldInFolder(join(scratch, 'a', 'b'), target)],
])('in %s, a verdict is told once', (_where, make) => {
  const told = make();
  expect([told.claim('x'), told.claim('x'), told.claim('y')]).toEqual([true, false, true]);
  expect(told.isSuperseded).toBe(false);
});

it('over runs too, and the newest run of a target takes over from those before it', () => {
  const folder = join(scratch, 'c');
  const first = new ToldInFolder(folder, target);
  expect(first.claim('x')).toBe(true);
  const second = new ToldInFolder(folder, target);
  const other = new ToldInFolder(folder, { kind: 'turn', id: target.id });
  expect(second.claim('x')).toBe(false);
  expect([first, second, other].map(({ isSuperseded }) => isSuperseded)).toEqual([true, false, false]);
});

it('what agents call themselves is no path', () => {
  for (const name of readdirSync(join(scratch, 'c'))) expect(name).toMatch(/^(told|waiter)-[0-9a-f]{32}$/);
});

it('a folder that was cleaned up stops nobody', () => {
  const folder = join(scratch, 'd');
  const told = new ToldInFolder(folder, target);
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  expect(told.isSuperseded).toBe(false);
});
