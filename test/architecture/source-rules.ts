import { codeOnly, importsOf, isTest, packageOf, type SourceFile } from './source-text.ts';

const longestFile = 300;
const notConcepts = new Set([
  'util',
  'utils',
  'helper',
  'helpers',
  'type',
  'types',
  'common',
  'misc',
  'shared',
]);

/** A file holds one idea: it has the idea's name and stays small. */
function shapeFaults({ path, text }: SourceFile): string[] {
  const faults: string[] = [];
  const lines = text.trimEnd().split('\n').length;
  if (!isTest(path) && !path.includes('.generated.') && lines > longestFile)
    faults.push(`${lines} lines, ${longestFile} at most: it holds more than one idea`);
  for (const part of path.split('/')) {
    const name = part.replace(/\..*$/, '');
    if (notConcepts.has(name))
      faults.push(`"${name}" is a kind of code, not a concept: name it after what it holds`);
  }
  if (
    /^[ \t]*export\s+default\b|\bas\s+default\b/m.test(codeOnly(text)) &&
    !/\.config\.[cm]?ts$/.test(path)
  ) {
    faults.push('default export: give it a name');
  }
  return faults;
}

const impure: readonly (readonly [RegExp, string])[] = [
  [/\bDate\b/, 'Date: clocks are handed in'],
  [/\bperformance\b/, 'performance: clocks are handed in'],
  [/\bset(?:Timeout|Interval|Immediate)\b|\bqueueMicrotask\b/, 'timers: time reaches core as a value'],
  [/\bMath\.random\b|\bcrypto\b/, 'random: sources are handed in'],
  [
    /\bprocess\.(?:env|argv|nextTick|hrtime|exit|pid|uptime|cwd|platform|std\w+|on)\b|\bglobalThis\b|\bfetch\s*\(|\bconsole\./,
    'the outside world: core has no I/O',
  ],
  [/\bawait\b|\basync\b/, 'asynchronous code: core is pure'],
];

/** Core is a function of its arguments, so that whole days run in a test in milliseconds. */
function purityFaults({ path, text }: SourceFile): string[] {
  if (!path.startsWith('packages/core/src/') || isTest(path)) return [];
  const code = codeOnly(text);
  const faults = impure.filter(([pattern]) => pattern.test(code)).map(([, why]) => why);
  for (const { specifier } of importsOf(text)) {
    if (specifier.startsWith('node:')) faults.push(`${specifier}: core has no I/O`);
    else if (packageOf(specifier) !== undefined) faults.push(`${specifier}: core has no dependencies`);
  }
  return faults;
}

/** What is wrong with one source file; empty when all is well. */
export function sourceFaults(file: SourceFile): string[] {
  return [...shapeFaults(file), ...purityFaults(file)].map((fault) => `${file.path}: ${fault}`);
}
