import { describe, expect, test } from 'vitest';
import { type FlagSet, parseFlags } from './flags.ts';

const set = {
  port: { kind: 'number', min: 0, max: 65_535, value: 'PORT', help: '' },
  skew: { kind: 'number', value: 'SECONDS', help: '' },
  config: { kind: 'text', value: 'FILE', help: '' },
  store: { kind: 'text', oneOf: ['sqlite', 'memory'], value: 'KIND', help: '' },
  file: { kind: 'text', multiple: true, takesOperands: true, value: 'FILE', help: '' },
  json: { kind: 'switch', help: '' },
} as const satisfies FlagSet;

const flags = (...args: string[]): unknown => parseFlags(args, set).flags;

describe('what is taken', () => {
  test('values after a blank or an equals sign, numbers as numbers, switches as true', () => {
    expect(flags('--port', '0', '--config=a=b.yaml', '--json')).toEqual({
      port: 0,
      config: 'a=b.yaml',
      json: true,
    });
  });
  test('a negative number is a value, no flag', () => {
    expect(flags('--skew', '-97200')).toEqual({ skew: -97_200 });
  });
  test('a flag that may be repeated is a list; operands stay in their order', () => {
    const parsed = parseFlags(['--file', 'a', 'b', '--json', 'c'], set);
    expect([parsed.flags, parsed.operands]).toEqual([{ file: ['a'], json: true }, ['b', 'c']]);
  });
  test('after -- everything is an operand', () => {
    expect(parseFlags(['--json', '--', '--port'], set)).toEqual({
      flags: { json: true },
      operands: ['--port'],
      help: false,
    });
  });
  test('help in both forms', () => {
    expect([parseFlags(['-h'], set).help, parseFlags(['--port', '1', '--help'], set).help]).toEqual([
      true,
      true,
    ]);
  });
});

describe('what is refused, and how to mend it', () => {
  test.each<[string, string[], string]>([
    ['a mistyped flag', ['--prot', '1'], 'unknown flag --prot; did you mean --port?'],
    [
      'a flag nobody knows',
      ['--frobnicate'],
      'unknown flag --frobnicate; known are --port, --skew, --config, --store, --file, --json, --help',
    ],
    ['a short flag', ['-x'], 'unknown flag -x;'],
    ['a property of every object', ['--constructor'], 'unknown flag --constructor'],
    ['a missing value', ['--config'], '--config needs FILE after it'],
    ['a flag in the place of a value', ['--config', '--json'], '--config needs FILE after it'],
    ['an empty value', ['--config='], '--config needs FILE that is not empty'],
    ['a value for a switch', ['--json=yes'], '--json takes no value'],
    ['no number', ['--port', 'http'], '--port must be a number from 0 to 65535, not "http"'],
    ['an empty number', ['--port='], '--port must be a number from 0 to 65535, not ""'],
    ['a number out of bounds', ['--port', '65536'], 'from 0 to 65535'],
    ['infinity', ['--skew', 'Infinity'], '--skew must be a number, not "Infinity"'],
    [
      'a word that is not on the list',
      ['--store', 'redis'],
      '--store must be one of sqlite, memory, not "redis"',
    ],
  ])('%s', (_, args, message) => {
    expect(() => flags(...args)).toThrow(message);
  });
});
