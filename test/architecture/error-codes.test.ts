import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { problemKinds } from '@turnwatch/protocol';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(`${root}docs/errors.md`, 'utf8');
const documented = new Map(
  page
    .split(/^### /m)
    .slice(1)
    .map((part): [string, string] => [part.split('\n')[0] ?? '', part.split(/^## /m)[0] ?? '']),
);

/** Every code that stands in the sources of a package, tests left out. */
function codesInSources(): Set<string> {
  const codes = new Set<string>();
  for (const name of readdirSync(`${root}packages`)) {
    const files = readdirSync(`${root}packages/${name}`, { recursive: true, encoding: 'utf8' });
    for (const file of files)
      if (/^src\/.*\.ts$/.test(file) && !file.endsWith('.test.ts'))
        for (const [code] of readFileSync(`${root}packages/${name}/${file}`, 'utf8').matchAll(
          /TURNWATCH_ERR_[A-Z]\w*/g,
        ))
          codes.add(code);
  }
  return codes;
}

test('every code of every package is documented, and no other', () => {
  const used = codesInSources();
  expect(used.size).toBeGreaterThan(30);
  expect([...documented.keys()].sort()).toEqual([...used].sort());
});

test.each([...documented])('%s: what it is, its cause and its mending', (_code, part) => {
  const [, what, cause, mending] = part.trim().split('\n\n');
  expect(what?.length).toBeGreaterThan(10);
  expect(cause).toMatch(/^Cause: .{10,}/s);
  expect(mending).toMatch(/^Mending: .{10,}/s);
});

test('what the page says of the HTTP API is what the detector says at /errors', () => {
  for (const [code, { status, title, cause, mend }] of Object.entries(problemKinds))
    expect(documented.get(code)?.trim()).toBe(
      `${code}\n\n${status}: ${title}.\n\nCause: ${cause}\n\nMending: ${mend}`,
    );
});
