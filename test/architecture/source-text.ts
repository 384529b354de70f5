/** A source file as the checks see it: where it is, from the repository's root and with forward slashes, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** One module specifier in a source file. */
export interface ImportSite {
  readonly specifier: string;
  /** True where the whole statement vanishes at build: `import type`, `export type`, `import('x').Y` in a type is not told apart. */
  readonly typeOnly: boolean;
  readonly line: number;
}

const commentOrQuoted =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');

/** The text with comments blanked; lines and columns stay where they were. */
function withoutComments(text: string): string {
  return text.replace(commentOrQuoted, (found) => (found.startsWith('/') ? blank(found) : found));
}

/** The text with comments and everything in quotes blanked, so that only code is left to search. */
export function codeOnly(text: string): string {
  return text.replace(commentOrQuoted, blank);
}

const statement = /^[ \t]*(?:import|export)\b(\s+type\b)?(?:[^'";]*?\bfrom)?\s*['"]([^'"\n]+)['"]/gm;
const call = /\b(?:import|require|import\.meta\.resolve)\s*\(\s*['"]([^'"\n]+)['"]/g;

/** Every module a source names: static and dynamic imports, re-exports, type imports, `require`. */
export function importsOf(text: string): ImportSite[] {
  const readable = withoutComments(text);
  const code = codeOnly(text);
  const sites = (pattern: RegExp, read: (match: RegExpExecArray) => Omit<ImportSite, 'line'>): ImportSite[] =>
    [...readable.matchAll(pattern)].flatMap((match) => {
      const start = match.index + match[0].search(/\S/);
      // Inside quotes it is text about code, such as a command in a message.
      if (/\s/.test(code[start] ?? ' ')) return [];
      return [{ ...read(match), line: code.slice(0, start).split('\n').length }];
    });
  return [
    ...sites(statement, (match) => ({ specifier: match[2] ?? '', typeOnly: match[1] !== undefined })),
    ...sites(call, (match) => ({ specifier: match[1] ?? '', typeOnly: false })),
  ];
}

/** The npm package of a bare specifier, or undefined for relative paths and Node's own modules. */
export function packageOf(specifier: string): string | undefined {
  if (/^[./]/.test(specifier) || specifier.startsWith('node:') || specifier.startsWith('#')) return undefined;
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0];
}

/** Tests and benchmarks are not shipped and may use the repository's development tools. */
export function isTest(path: string): boolean {
  return /\.(?:test|bench)\.ts$/.test(path);
}
