import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sourceFaults } from './source-rules.ts';
import { filesBelow, readPackages, readSource, root } from './workspace.ts';

test('every source file keeps the rules of the house', () => {
  const files = [
    ...readPackages().flatMap(({ sources }) => sources),
    ...filesBelow(join(root, 'test')).map(readSource),
  ].filter(({ path }) => path.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(10);
  expect(files.flatMap(sourceFaults)).toEqual([]);
});

const inCore = (text: string): string[] => sourceFaults({ path: 'packages/core/src/a.ts', text });
const inDetector = (text: string, path = 'packages/detector/src/a.ts'): string[] =>
  sourceFaults({ path, text });

describe('core is pure', () => {
  test.each([
    "import { readFileSync } from 'node:fs';",
    "import { z } from 'zod';",
    'const now = Date.now();',
    'const now = performance.now();',
    'setTimeout(f, 1);',
    'setInterval(f, 1);',
    'queueMicrotask(f);',
    'const r = Math.random();',
    'const e = process.env.A;',
    'fetch(url);',
    'async function f() {}',
  ])('%s', (text) => {
    expect(inCore(text)).toHaveLength(1);
  });

  test('the same is free elsewhere, in comments and in names', () => {
    expect(inDetector("import 'node:fs';\nsetTimeout(f, Date.now());")).toEqual([]);
    expect(
      inCore("// no Date here\nconst update = 'setTimeout';\nconst { process } = signal;\nf(process.boot);"),
    ).toEqual([]);
    expect(
      sourceFaults({ path: 'packages/core/src/a.test.ts', text: "import 'vitest'; Date.now();" }),
    ).toEqual([]);
  });
});

describe('files hold one idea', () => {
  test('300 lines are the end, for tests there is none', () => {
    expect(inDetector('x;\n'.repeat(300))).toEqual([]);
    expect(inDetector('x;\n'.repeat(301))).toHaveLength(1);
    expect(inDetector('x;\n'.repeat(301), 'packages/detector/src/a.test.ts')).toEqual([]);
  });

  test.each(['utils.ts', 'types.ts', 'helpers/a.ts', 'common/a.ts', 'misc.test.ts'])(
    '%s is not a concept',
    (name) => {
      expect(inDetector('', `packages/detector/src/${name}`)).toHaveLength(1);
    },
  );

  test('a concept may have such a word in its name', () => {
    expect(inDetector('', 'packages/detector/src/event-types.ts')).toEqual([]);
  });
});

test.each([
  'export default 1;',
  'export { a as default };',
  "export { default as b, c as default } from './c.ts';",
])('no default export: %s', (text) => {
  expect(inDetector(text)).toHaveLength(1);
  expect(inDetector(text, 'packages/detector/rolldown.config.ts')).toEqual([]);
});
