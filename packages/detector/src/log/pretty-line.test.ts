import { expect, test } from 'vitest';
import { prettyLine } from './pretty-line.ts';

const line = (fields: object): string =>
  prettyLine(
    JSON.stringify({ level: 'warn', time: '2026-11-30T12:00:01.250Z', name: 'turnwatch', pid: 1, ...fields }),
    false,
  );

test('one line for people, with the fields that matter', () => {
  expect(line({ msg: 'the canary was not taken', path: 'eu', why: 'two words', n: 3 })).toBe(
    '12:00:01 warn  the canary was not taken path=eu why="two words" n=3\n',
  );
});

test('an error stands below, with its stack', () => {
  expect(line({ msg: 'm', err: { type: 'Error', message: 'no', stack: 'at a\n  at b' } })).toBe(
    '12:00:01 warn  m\n    Error: no\n    at a\n    at b\n',
  );
});

test('no control character of an agent reaches the terminal', () => {
  const text = line({ msg: 'turn \u001b[2J\u0007', turn: '\u001b]0;x\u0007', bidi: 'a\u202eb' });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  expect(text.trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
});

test('colours on request; what is no JSON passes', () => {
  expect(prettyLine('{"level":"info","time":"2026-11-30T12:00:01Z","msg":"m"}', true)).toContain(
    '\u001b[32minfo',
  );
  expect(prettyLine('plain\n', false)).toBe('plain\n');
});
