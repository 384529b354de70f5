import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { check } from './check.ts';
import { seeds } from './seeds.ts';

const folder = new URL('./regressions/', import.meta.url);

describe('what the fuzzer found once', () => {
  for (const name of readdirSync(folder))
    test(name, () => {
      expect(() => check(readFileSync(new URL(name, folder)))).not.toThrow();
    });
});

test('everything that the fuzzer begins with is as it should be', () => {
  const all = seeds();
  expect(all.length).toBeGreaterThan(50);
  for (const seed of all) expect(() => check(seed)).not.toThrow();
});

test('each of them cut short or with a byte changed, too', () => {
  for (const seed of seeds())
    for (let n = 1; n < 5; n++) {
      const at = Math.floor((seed.length * n) / 5);
      check(seed.subarray(0, at));
      const changed = Uint8Array.from(seed);
      changed[at] = (changed[at] ?? 0) ^ (1 << (n % 8));
      check(changed);
    }
});
