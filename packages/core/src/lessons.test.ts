import { describe, expect, test } from 'vitest';
import { aReport, aRequest, aTurn, s } from '../fixtures/given.ts';
import { emptyBaseline } from './baseline.ts';
import { learnBetween } from './lessons.ts';
import { makePolicy } from './policy.ts';
import type { TurnReport } from './signal.ts';
import { noLessons, type Turn, type TurnLessons } from './turn.ts';

const policy = makePolicy({ preset: 'measured' });

/** A turn in text, as a record at `wS` shows it. */
const shown = (wS: number, report: Partial<TurnReport> = {}, over: Partial<Turn> = {}): Turn =>
  aTurn({ w: s(wS), report: aReport(report), ...over });
const learn = (before: Turn, after: Turn): TurnLessons =>
  learnBetween(before, after, policy, () => emptyBaseline);

describe('learning is exactly the judged quantity (RULES 3)', () => {
  test('an activity closes the silence before it, to the millisecond', () => {
    const learned = learn(shown(9), shown(10, { lastA: s(9.8), firstA: s(9.2) }));
    expect(learned.gaps).toEqual({ text: s(9.2) });
  });

  test('the only activity is the first', () => {
    expect(learn(shown(9), shown(10, { lastA: s(9.8) })).gaps).toEqual({ text: s(9.8) });
    expect(learn(shown(9, { lastA: 50 }), shown(10, { lastA: s(9.8), firstA: 20 })).gaps).toEqual({
      text: s(9.8) - 50,
    });
  });

  test('reports between are missing: no more is proven than what was judged', () => {
    expect(learn(shown(9), shown(11, { lastA: s(10.8), firstA: s(10.2) })).gaps).toEqual({ text: s(9) });
  });

  test('nothing newer, nothing learned', () => {
    expect(learn(shown(9), shown(10)).gaps).toEqual({});
  });

  test('the largest gap of the turn stays', () => {
    const lessons = { ...noLessons, gaps: { text: s(50) } };
    expect(learn(shown(9, {}, { lessons }), shown(10, { lastA: s(9.5) })).gaps).toEqual({ text: s(50) });
  });

  test('a silence teaches the phase in which it was judged, not the one that follows', () => {
    const reading = shown(9, { phase: 'first_token', requests: [aRequest()] });
    expect(learn(reading, shown(10, { phase: 'text', lastA: s(9.5) })).gaps).toEqual({ first_token: s(9.5) });
  });

  test('a gap between clocks that ran back is none', () => {
    const before = shown(9, { lastA: s(1), phaseA: s(8) });
    expect(learn(before, shown(10, { lastA: s(7) })).gaps).toEqual({ text: 0 });
  });
});

describe('what must not teach', () => {
  test('a failed or cancelled end does not show that the silence was healthy', () => {
    expect(learn(shown(9), shown(10, { lastA: s(9.5), failedA: s(9.5) })).gaps).toEqual({});
    // An older failure, or content after it, is no such end.
    expect(learn(shown(9), shown(10, { lastA: s(9.5), failedA: s(2) })).gaps).toEqual({ text: s(9.5) });
    expect(learn(shown(9), shown(10, { lastA: s(9.8), firstA: s(9.5), failedA: s(9.5) })).gaps).toEqual({
      text: s(9.5),
    });
  });

  test('what such an end closed is kept apart, to be counted as censored', () => {
    const lessons = { ...noLessons, gaps: { text: s(50) }, hung: { text: s(4) } };
    const fails = (atS: number) => ({ lastA: s(atS), failedA: s(atS) });
    expect(learn(shown(9, {}, { lessons }), shown(10, fails(9.5)))).toMatchObject({
      gaps: { text: s(50) },
      hung: { text: s(9.5) },
    });
    expect(learn(shown(3, {}, { lessons }), shown(4, fails(3.5))).hung).toEqual({ text: s(4) });
    expect(learn(shown(9), shown(10, { lastA: s(9.5) })).hung).toEqual({});
  });

  test('a silence that overlaps a long pause', () => {
    expect(learn(shown(9), shown(10, { lastA: s(9.8), failedA: s(9.8), wokeA: s(9.2) })).hung).toEqual({});
    expect(learn(shown(9), shown(10, { lastA: s(9.8), wokeA: s(9.2) })).gaps).toEqual({});
    expect(learn(shown(9, { wokeA: s(5) }), shown(10, { lastA: s(9.8), wokeA: s(5) })).gaps).toEqual({});
    expect(
      learn(shown(9, { lastA: s(6), wokeA: s(5) }), shown(10, { lastA: s(9.8), wokeA: s(5) })).gaps,
    ).toEqual({
      text: s(3.8),
    });
  });

  test.each(['tool', 'waiting'] as const)('%s', (phase) => {
    expect(learn(shown(9, { phase }), shown(10, { lastA: s(9.8) })).gaps).toEqual({});
  });

  test('a handover', () => {
    const before = shown(9, { phase: 'agent', requests: [], handover: true });
    expect(learn(before, shown(10, { lastA: s(9.8) })).gaps).toEqual({});
  });
});

describe('evidence closes a silence too, under the key with evidence', () => {
  const reading = { phase: 'first_token', requests: [aRequest()] } as const;

  test('the first sign closes the bare key, the next its own', () => {
    expect(learn(shown(9, reading), shown(10, reading, { countedA: s(9.5) })).gaps).toEqual({
      first_token: s(9.5),
    });
    const seen = shown(19, reading, { countedA: s(9.5) });
    expect(learn(seen, shown(20, reading, { countedA: s(19.5) })).gaps).toEqual({
      'first_token+evidence': s(10),
    });
  });

  test('with reports missing between, what was judged', () => {
    expect(learn(shown(9, reading), shown(12, reading, { countedA: s(11) })).gaps).toEqual({
      first_token: s(9),
    });
  });
});

describe('content gaps with keep-alives inside teach how long such a stream may ping', () => {
  const pinging: Partial<TurnReport> = { lastContentA: s(1), keepaliveA: s(5) };
  const pinged = (before: Partial<TurnReport>, after: Partial<TurnReport>): TurnLessons['pinged'] =>
    learn(shown(9, before), shown(10, after)).pinged;

  test.each<[string, Partial<TurnReport>, Partial<TurnReport>, TurnLessons['pinged']]>([
    ['from content to content', pinging, { lastContentA: s(9.5) }, { text: s(8.5) }],
    ['closed by the first of several', pinging, { lastContentA: s(9.8), firstA: s(9.5) }, { text: s(8.5) }],
    ['what is older does not close it', pinging, { lastContentA: s(9.8), firstA: s(0.5) }, { text: s(8.8) }],
    ['no keep-alive', { lastContentA: s(1) }, { lastContentA: s(9.5) }, {}],
    ['a keep-alive before the gap', { ...pinging, keepaliveA: s(1) }, { lastContentA: s(9.5) }, {}],
    ['no content before', { keepaliveA: s(5) }, { lastContentA: s(9.5) }, {}],
    ['no content after', pinging, {}, {}],
    ['no newer content', pinging, { lastContentA: s(1) }, {}],
    [
      'before the first content of the request',
      { ...pinging, requests: [aRequest()] },
      { lastContentA: s(9.5) },
      {},
    ],
    ['no request', { ...pinging, requests: [] }, { lastContentA: s(9.5) }, {}],
    ['a phase that silence does not judge', { ...pinging, phase: 'tool' }, { lastContentA: s(9.5) }, {}],
  ])('%s', (_, before, after, lessons) => {
    expect(pinged(before, after)).toEqual(lessons);
  });
});

describe('first-token times by prompt size (report 000)', () => {
  const reading = aRequest({ startedA: s(2), promptTokens: 5000 });
  const done = { ...reading, contentA: s(9) };
  const reads = (before: Turn, after: Partial<TurnReport>): TurnLessons['reads'] =>
    learn(before, shown(10, after)).reads;
  const before = shown(8, { phase: 'first_token', requests: [reading] });

  test('from the start of the request to its first content', () => {
    expect(reads(before, { requests: [done] })).toEqual([{ tokens: 5000, ms: s(7) }]);
  });

  test('of a request that no record showed before', () => {
    expect(reads(shown(8, { requests: [] }), { requests: [done] })).toEqual([{ tokens: 5000, ms: s(7) }]);
  });

  test.each<[string, Turn, Partial<TurnReport>]>([
    ['known already', shown(8, { requests: [done] }), { requests: [done] }],
    ['still reading', before, { requests: [reading] }],
    ['size not known', before, { requests: [aRequest({ contentA: s(9) })] }],
    ['evidence came: its own key learns', { ...before, countedA: s(5) }, { requests: [done] }],
    ['a pause within', before, { requests: [done], wokeA: s(3) }],
  ])('%s: nothing', (_, known, after) => {
    expect(reads(known, after)).toEqual([]);
  });

  test('evidence and pauses before the request do not matter', () => {
    expect(reads({ ...before, countedA: s(1) }, { requests: [done], wokeA: s(1) })).toHaveLength(1);
  });
});
