import { describe, expect, test } from 'vitest';
import { aContext, aSignal, aTurn } from '../fixtures/given.ts';
import { transition } from './transition.ts';

describe('a turn that only a list said had ended', () => {
  const [gone] = transition(
    aTurn({ seq: 10, startedMs: 5 }),
    { kind: 'unlisted', outcome: 'unknown', seq: 15 },
    aContext(),
  );

  test('goes on when a newer record of its own shows it', () => {
    const [back, effects] = transition(
      gone,
      { kind: 'signal', signal: aSignal({ origin: { seq: 16 } }), path: 'direct' },
      aContext(),
    );
    expect(back).toMatchObject({ verdict: { state: 'running' }, seq: 16, startedMs: 5, episode: 1 });
    expect(effects).toEqual([{ kind: 'keep', turn: 'T' }]);
  });

  test('stays ended for what was said before the list', () => {
    const [late] = transition(
      gone,
      { kind: 'signal', signal: aSignal({ origin: { seq: 12 } }), path: 'direct' },
      aContext(),
    );
    expect(late).toBe(gone);
  });

  test('stays ended where its own end is known', () => {
    const [ended] = transition(
      aTurn({ seq: 10 }),
      { kind: 'unlisted', outcome: 'completed', seq: 15 },
      aContext(),
    );
    const [late] = transition(
      ended,
      { kind: 'signal', signal: aSignal({ origin: { seq: 16 } }), path: 'direct' },
      aContext(),
    );
    expect(late).toBe(ended);
  });
});
