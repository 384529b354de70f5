import { describe, expect, test } from 'vitest';
import { aHappening, wallZeroMs } from '../fixtures/given.ts';
import { Doubles } from './doubles.ts';
import type { Happening, Origin, TurnSignal } from './signal.ts';

const chunk: Happening = { name: 'chunk', kind: 'text' };
const record = (origin: Partial<Origin> = {}, over: Partial<TurnSignal> = {}): TurnSignal => ({
  ...aHappening(chunk, { origin: { seq: 7, wallMs: wallZeroMs, ...origin } }),
  ...over,
});

describe('a record of a producer without heartbeats that comes again', () => {
  test('is known by its number and time, however often it comes', () => {
    const doubles = new Doubles();
    expect([1, 2, 3].map(() => doubles.has(record()))).toEqual([false, true, true]);
  });

  test.each([
    ['another number', record({ seq: 8 })],
    ['another time', record({ wallMs: wallZeroMs + 1 })],
    ['another process', record({ process: 'p2' })],
    ['another boot', record({ boot: 'b2' })],
    ['another turn', record({}, { turn: 'U' })],
    ['another attempt', record({}, { attempt: 2 })],
    ['another happening', record({}, { happening: { name: 'chunk', kind: 'reasoning' } })],
  ])('%s is another record', (_, other) => {
    const doubles = new Doubles();
    doubles.has(record());
    expect(doubles.has(other)).toBe(false);
  });

  test('one number or one time is enough to tell it apart', () => {
    const doubles = new Doubles();
    const numbered = aHappening(chunk, { origin: { seq: 7 } });
    const timed = record({ seq: 0 });
    expect([numbered, numbered, timed, timed].map((each) => doubles.has(each))).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });

  test('with neither it cannot be told apart: each counts', () => {
    const doubles = new Doubles();
    const bare = aHappening(chunk, { origin: { seq: 0 } });
    expect([bare, bare].map((each) => doubles.has(each))).toEqual([false, false]);
  });

  test('the newest 20,000 are remembered', () => {
    const doubles = new Doubles();
    for (let seq = 1; seq <= 20_000; seq++) doubles.has(record({ seq }));
    expect(doubles.has(record({ seq: 1 }))).toBe(true);
    expect(doubles.has(record({ seq: 20_001 }))).toBe(false);
    expect(doubles.has(record({ seq: 2 }))).toBe(true);
    expect(doubles.has(record({ seq: 1 }))).toBe(false);
  });
});
