import { describe, expect, test } from 'vitest';
import { aCall, aReport, aTurn, toolTurn } from '../fixtures/given.ts';
import { childless, Family, isHealthy } from './family.ts';
import type { Turn, Verdict } from './turn.ts';

const stale = { state: 'stale' } as Verdict;
const ended: Verdict = { state: 'ended', outcome: 'completed', atMs: 0 };
const expired = { state: 'expired' } as Verdict;

function familyOf(...turns: readonly Turn[]): Family {
  const byId = new Map(turns.map((turn) => [turn.id, turn]));
  const family = new Family((id) => byId.get(id));
  for (const turn of turns) family.add(turn);
  return family;
}

const child = (id: string, parentId: string, over: Partial<Turn> = {}, parentCallId?: string): Turn =>
  aTurn({ id, identity: { parentId, ...(parentCallId === undefined ? {} : { parentCallId }) }, ...over });

describe('a child that works answers for the call it stands for (RULES 4)', () => {
  const parent = toolTurn([aCall(), aCall({ id: 'c2', childTurn: 'K2' })], { id: 'P' });

  test('by its own word, or by that of the call', () => {
    const children = familyOf(parent, child('K1', 'P', {}, 'c1'), child('K2', 'P')).childrenOf(parent);
    expect(children.answersFor('c1')).toBe(true);
    expect(children.answersFor('c2')).toBe(true);
    expect(children.answersFor('c3')).toBe(false);
    for (const call of ['c1', 'c2', undefined]) expect(children.anyOpen(call)).toBe(true);
    expect(children.anyOpen('c3')).toBe(false);
  });

  test.each<[string, Verdict, boolean]>([
    ['stale, though it is open', stale, true],
    ['expired', expired, false],
    ['ended', ended, false],
  ])('not when it is %s', (_, verdict, open) => {
    const kid = child('K1', 'P', { verdict }, 'c1');
    expect(isHealthy(kid)).toBe(false);
    const children = familyOf(parent, kid).childrenOf(parent);
    expect(children.answersFor('c1')).toBe(false);
    expect(children.anyOpen('c1')).toBe(open);
    expect(children.anyOpen()).toBe(open);
    expect(children.anyOpen('c2')).toBe(false);
  });

  test('nor when it is forgotten', () => {
    const family = new Family(() => undefined);
    family.add(child('K1', 'P', {}, 'c1'));
    expect(family.childrenOf(parent).anyOpen('c1')).toBe(false);
    expect(family.childrenOf(parent).anyOpen()).toBe(false);
  });

  test('turns without children have none', () => {
    expect(familyOf(parent).childrenOf(parent)).toBe(childless);
    expect(childless.answersFor('c1')).toBe(false);
    expect(childless.anyOpen('c1')).toBe(false);
    expect(childless.anyOpen()).toBe(false);
  });

  test('one that is removed is gone; one that names no parent, or itself, never was there', () => {
    const first = child('K1', 'P', {}, 'c1');
    const second = child('K2', 'P');
    const family = familyOf(parent, first, second);
    family.remove(first);
    expect(family.childrenOf(parent).answersFor('c1')).toBe(false);
    family.remove(second);
    family.remove(second);
    family.remove(parent);
    expect(family.childrenOf(parent)).toBe(childless);
    const self = child('S', 'S');
    expect(familyOf(self).childrenOf(self)).toBe(childless);
  });

  test('a call without a child stands for nobody', () => {
    expect(familyOf().callOf(child('K', 'P'), aTurn({ report: aReport() }))).toBeUndefined();
  });
});

describe('a child whose parent is of other hands', () => {
  const foreignTo = (...turns: readonly Turn[]): Family => {
    const byId = new Map(turns.map((turn) => [turn.id, turn]));
    const family = new Family(
      (id) => byId.get(id),
      () => false,
    );
    for (const turn of turns) family.add(turn);
    return family;
  };
  const parent = toolTurn([aCall(), aCall({ id: 'c2', childTurn: 'named' })], { id: 'P' });

  test('has no say in it, whatever it says of itself', () => {
    const kid = child('K', 'P', {}, 'c1');
    const family = foreignTo(parent, kid);
    expect(family.callOf(kid, parent)).toBeNull();
    const children = family.childrenOf(parent);
    expect([children.answersFor('c1'), children.anyOpen('c1')]).toEqual([false, false]);
    expect(family.newsOf(undefined, kid)).toBeUndefined();
    // The parent may wait for this very one: it says for a child, and not for which.
    expect(children.anyOpen()).toBe(true);
    expect(family.newsOf(kid, { ...kid, verdict: ended })).toMatchObject({ call: null, what: 'ended' });
    // Its own verdicts are still told to the parent: that is what the name of a parent is for.
    expect(family.recipientOf(kid)).toBe('P');
  });

  test('stands for the call that the parent’s own record names it in, and for no other', () => {
    const kid = child('named', 'P', {}, 'c1');
    const family = foreignTo(parent, kid);
    expect(family.callOf(kid, parent)).toBe('c2');
    expect(family.childrenOf(parent).answersFor('c1')).toBe(false);
    expect(family.childrenOf(parent).answersFor('c2')).toBe(true);
    expect(family.newsOf(kid, { ...kid, verdict: ended })).toMatchObject({ call: 'c2', what: 'ended' });
  });
});

describe('who is told (RULES 5)', () => {
  test.each<[string, readonly Turn[], string | null]>([
    ['the parent', [aTurn({ id: 'P' })], 'P'],
    ['a parent that is no turn, as it is named', [], 'P'],
    [
      'an open ancestor where the parent is stale',
      [child('P', 'G', { verdict: stale }), aTurn({ id: 'G' })],
      'G',
    ],
    [
      'an open ancestor where the parent has ended',
      [child('P', 'G', { verdict: ended }), aTurn({ id: 'G' })],
      'G',
    ],
    ['an ancestor that is no turn', [child('P', 'planner', { verdict: stale })], 'planner'],
    ['nobody where all have settled', [aTurn({ id: 'P', identity: {}, verdict: ended })], null],
    ['nobody in a circle', [child('P', 'K', { verdict: stale })], null],
  ])('%s', (_, others, recipient) => {
    const kid = child('K', 'P');
    expect(familyOf(kid, ...others).recipientOf(kid)).toBe(recipient);
  });

  test('a turn without a parent: the default endpoints', () => {
    const turn = aTurn();
    expect(familyOf(turn).recipientOf(turn)).toBeNull();
  });
});
