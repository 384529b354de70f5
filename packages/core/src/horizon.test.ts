import { describe, expect, test } from 'vitest';
import { aContext, aReport, aRequest, aTurn, bootZeroMs, s } from '../fixtures/given.ts';
import { earliest, horizonsAfter, nextDeadlineMs } from './horizon.ts';
import type { TurnReport, WaitingFor } from './signal.ts';
import type { Turn } from './turn.ts';

const boot = (seconds: number): number => bootZeroMs + s(seconds);
const never = Number.POSITIVE_INFINITY;

describe('a horizon is a deadline on the own boot clock, from the time left (report 004)', () => {
  test.each([
    ['none known, none told', undefined, undefined, undefined],
    ['first told', undefined, s(30), boot(40)],
    ['a late record can only say later', boot(35), s(30), boot(35)],
    ['an earlier one wins', boot(50), s(30), boot(40)],
    ['a record that tells none changes nothing', boot(50), undefined, boot(50)],
    ['a told horizon stays told', never, s(30), never],
    ['already over', undefined, s(-5), boot(5)],
  ])('%s', (_, known, inMs, deadline) => {
    expect(earliest(known, inMs, boot(10))).toBe(deadline);
  });

  const after = (turn: Partial<Turn>, report: Partial<TurnReport>, t = 10) =>
    horizonsAfter(aTurn(turn), aReport(report), aContext({ t }));

  test('the own horizon takes the place of the default one, even where it is later', () => {
    expect(after({ deadlineMs: boot(20), byDefault: true }, { expiresInMs: s(100) })).toEqual({
      deadlineMs: boot(110),
      byDefault: false,
      requestDeadlines: {},
    });
  });

  test('of two tellings of it the earlier stays', () => {
    expect(after({ deadlineMs: boot(100) }, { expiresInMs: s(91) }).deadlineMs).toBe(boot(100));
    expect(after({ deadlineMs: boot(100) }, { expiresInMs: s(89) }).deadlineMs).toBe(boot(99));
  });

  test('a report that tells none keeps what is known', () => {
    expect(after({ deadlineMs: boot(100) }, {})).toMatchObject({ deadlineMs: boot(100), byDefault: false });
  });

  test('requests keep theirs while they are open', () => {
    const requestDeadlines = { r1: boot(30), r2: never, gone: boot(1) };
    const requests = [
      aRequest({ expiresInMs: s(5) }),
      aRequest({ id: 'r2', expiresInMs: s(5) }),
      aRequest({ id: 'r3' }),
    ];
    expect(after({ requestDeadlines }, { requests }).requestDeadlines).toEqual({ r1: boot(15), r2: never });
  });
});

describe('the default horizon is not counted while the turn waits for people or schedules', () => {
  const waits = (reason: WaitingFor): Partial<TurnReport> => ({
    phase: 'waiting',
    requests: [],
    waiting: { for: reason, sinceA: 0 },
  });
  const after = (turn: Partial<Turn>, report: Partial<TurnReport>, t: number) =>
    horizonsAfter(aTurn({ byDefault: true, ...turn }), aReport(report), aContext({ t }));

  test.each(['approval', 'input', 'schedule'] as const)('%s holds it', (reason) => {
    expect(after({ deadlineMs: boot(100) }, waits(reason), 40)).toEqual({
      deadlineMs: never,
      heldMs: s(60),
      byDefault: true,
      requestDeadlines: {},
    });
  });

  test.each(['rate_limit', 'child', 'retry'] as const)('%s does not', (reason) => {
    expect(after({ deadlineMs: boot(100) }, waits(reason), 40)).toMatchObject({ deadlineMs: boot(100) });
  });

  test('a wait of one call holds it too, while the request beside it works', () => {
    const waiting = { for: 'approval', sinceA: 0, call: 'c1' } as const;
    expect(after({ deadlineMs: boot(100) }, { waiting }, 40)).toMatchObject({
      deadlineMs: never,
      heldMs: s(60),
    });
  });

  test('it stays held, and goes on with what was left', () => {
    const held = { deadlineMs: never, heldMs: s(60) };
    expect(after(held, waits('approval'), 500)).toMatchObject(held);
    const goesOn = after(held, {}, 500);
    expect(goesOn.deadlineMs).toBe(boot(560));
    expect(goesOn).not.toHaveProperty('heldMs');
  });

  test('what was over when the wait began is over after it', () => {
    expect(after({ deadlineMs: boot(10) }, waits('input'), 40).heldMs).toBe(0);
  });

  test('an own horizon is unconditional', () => {
    expect(after({ byDefault: false, deadlineMs: boot(100) }, waits('approval'), 40).deadlineMs).toBe(
      boot(100),
    );
  });
});

test('a turn is looked at again at the earliest of its horizons', () => {
  expect(nextDeadlineMs(aTurn())).toBe(never);
  expect(nextDeadlineMs(aTurn({ deadlineMs: 9, requestDeadlines: { a: 7, b: never } }))).toBe(7);
  expect(nextDeadlineMs(aTurn({ deadlineMs: 5, requestDeadlines: { a: 7 } }))).toBe(5);
});
