import { describe, expect, test } from 'vitest';
import { codeOnly, importsOf, packageOf } from './source-text.ts';

describe('importsOf', () => {
  test('finds every way a module can be named', () => {
    const text = [
      "import { a } from 'a';",
      "import type { B } from '@scope/b/deep';",
      "import 'side-effect';",
      "export * from './c.ts';",
      "export type { D } from 'd';",
      'import {\n  e,\n  f,\n} from "e";',
      "const g = await import('g');",
      "type H = import('h').H;",
      "const i = require('node:i');",
      "const url = import.meta.resolve('j');",
      "import k, { type L } from 'k';",
    ].join('\n');
    expect(importsOf(text).map(({ specifier }) => specifier)).toEqual(
      expect.arrayContaining([
        'a',
        '@scope/b/deep',
        'side-effect',
        './c.ts',
        'd',
        'e',
        'g',
        'h',
        'node:i',
        'j',
        'k',
      ]),
    );
    expect(importsOf(text)).toHaveLength(11);
  });

  test('tells type imports from imports that remain at run time', () => {
    const typeOnly = (text: string): boolean | undefined => importsOf(text)[0]?.typeOnly;
    expect(typeOnly("import type { A } from 'a';")).toBe(true);
    expect(typeOnly("export type { A } from 'a';")).toBe(true);
    expect(typeOnly("import { type A } from 'a';")).toBe(false);
  });

  test('gives the line of the statement', () => {
    expect(importsOf("/* one\ntwo */\nimport 'a';").map(({ line }) => line)).toEqual([3]);
  });

  test('leaves comments alone', () => {
    expect(importsOf("// import 'a';\n/*\nimport 'b';\n*/\n/** `import('c')` */")).toEqual([]);
  });

  test('leaves code in quotes alone', () => {
    expect(importsOf('const hint = `node -p "require(\'a\')"`;\nconst other = "import(\'b\')";')).toEqual([]);
    expect(importsOf("const program = `\nimport 'c';\n`;\nimport 'd';")).toMatchObject([
      { specifier: 'd', line: 4 },
    ]);
  });

  test('is not led astray by quotes in exports', () => {
    expect(importsOf("export const from = 'a';\nexport const x = { y: 'b' };\nimport 'c';")).toMatchObject([
      { specifier: 'c' },
    ]);
  });
});

test('packageOf names the package of a bare specifier and nothing else', () => {
  expect(['@a/b/c', 'a/b', 'a', './a', '../a', 'node:fs', '#a'].map(packageOf)).toEqual([
    '@a/b',
    'a',
    'a',
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('codeOnly keeps lines and drops what is quoted', () => {
  expect(codeOnly("a('Date') // Date\nDate")).toBe('a(      )        \nDate');
});
