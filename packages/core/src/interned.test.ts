import { describe, expect, test } from 'vitest';
import { aSignal } from '../fixtures/given.ts';
import { Interned } from './interned.ts';

describe('what many turns share is kept once', () => {
  const interned = new Interned();
  /** A copy, as a decoder makes one for each record. */
  const copy = (text: string): string => [...text].join('');

  test('a signal says the same as before', () => {
    const signal = aSignal({ identity: { provider: copy('acme'), traceId: copy('ab'), startedAtMs: 5 } });
    expect(interned.signal(signal)).toEqual(signal);
    expect(interned.signal(aSignal())).toEqual(aSignal());
  });

  test('owners with the same three parts are one object; another incarnation is another owner', () => {
    const first = interned.owner({ process: 'p', boot: 'b', incarnation: 1 });
    expect(interned.owner({ process: copy('p'), boot: copy('b'), incarnation: 1 })).toBe(first);
    expect(interned.owner({ process: 'p', boot: 'b', incarnation: 2 })).not.toBe(first);
  });

  test('memory is bounded: past 10,000 nothing more is remembered, and nothing is confused', () => {
    const many = new Interned();
    for (let i = 0; i <= 10_001; i++) {
      const signal = many.signal(aSignal({ origin: { process: `p${i}` } }));
      expect(signal.origin.process).toBe(`p${i}`);
      expect(many.owner({ process: `p${i}`, boot: 'b', incarnation: 1 }).process).toBe(`p${i}`);
    }
  });
});
