import { describe, expect, test } from 'vitest';
import { aReport, aRequest, aTurn, s } from '../fixtures/given.ts';
import { effectivePhase, effectivePhaseA, never, weighEvidence } from './evidence.ts';
import { makePolicy } from './policy.ts';
import type { Route, TurnReport } from './signal.ts';
import type { EngineKnowledge, Turn } from './turn.ts';

const policy = makePolicy();
const capMs = s(300);

function turnIn(route: Route, report: Partial<TurnReport>, engine?: Partial<EngineKnowledge>): Turn {
  return aTurn({
    identity: { route },
    report: aReport({ phase: 'first_token', requests: [aRequest()], ...report }),
    ...(engine === undefined ? {} : { engine: { request: 'r1', queued: false, ...engine } }),
  });
}

const weigh = (turn: Turn) => weighEvidence(turn, policy, () => capMs);
const nothing = { countedA: never, cappedA: never };
const counted = (a: number) => ({ countedA: a, cappedA: never });
const capped = (a: number) => ({ countedA: never, cappedA: a });

describe('rank 1: the own counter of the request, on local (report 000)', () => {
  test.each([
    ['moved', 'local', { progressA: s(100) }, counted(s(100))],
    ['one ms before the cap of 1800 s', 'local', { progressA: s(1800) - 1 }, counted(s(1800) - 1)],
    ['at the cap', 'local', { progressA: s(1800) }, capped(s(1800))],
    [
      'the cap counts from the last real activity',
      'local',
      { progressA: s(1800), lastA: 1 },
      counted(s(1800)),
    ],
    ['on api it is nothing', 'api', { progressA: s(100) }, nothing],
    ['from before the request', 'local', { progressA: 5, requests: [aRequest({ startedA: 6 })] }, nothing],
    ['without a request', 'local', { phase: 'agent', progressA: 5, requests: [] }, nothing],
    ['while compacting', 'local', { phase: 'compacting', progressA: 5 }, nothing],
    ['while calls are open and no request', 'local', { phase: 'tool', progressA: 5, requests: [] }, nothing],
    ['a request phase without a request', 'local', { phase: 'text', progressA: 5, requests: [] }, nothing],
  ] as const)('%s', (_, route, report, evidence) => {
    expect(weigh(turnIn(route, report))).toEqual(evidence);
  });

  test('the slot of the engine that runs the turn counts the same', () => {
    expect(weigh(turnIn('local', {}, { ownA: s(50) }))).toEqual(counted(s(50)));
    expect(weigh(turnIn('local', {}, { ownA: s(1800) }))).toEqual(capped(s(1800)));
    expect(weigh(turnIn('local', { phase: 'text' }, { ownA: s(50) }))).toEqual(counted(s(50)));
  });

  test('what the engine said about an earlier request is nothing', () => {
    expect(weigh(turnIn('local', {}, { ownA: s(50), request: 'r0' }))).toEqual(nothing);
  });
});

describe('rank 2: the engine as a whole moves', () => {
  test('in the queue or before the first content', () => {
    expect(weigh(turnIn('local', {}, { wideA: s(60) }))).toEqual(counted(s(60)));
    expect(weigh(turnIn('local', {}, { wideA: s(60), queued: true }))).toEqual(counted(s(60)));
  });

  test('never in text', () => {
    expect(weigh(turnIn('local', { phase: 'text' }, { wideA: s(60) }))).toEqual(nothing);
  });
});

describe('rank 3: keep-alives on the own request', () => {
  const content = { phase: 'text', requests: [aRequest({ contentA: s(10) })] } as const;

  test.each([
    ['before content on api, below 600 s', 'api', { keepaliveA: s(599) }, counted(s(599))],
    ['before content on api, at 600 s', 'api', { keepaliveA: s(600) }, capped(s(600))],
    ['before content on local, below 1800 s', 'local', { keepaliveA: s(1799) }, counted(s(1799))],
    ['before content on local, at 1800 s', 'local', { keepaliveA: s(1800) }, capped(s(1800))],
    [
      'after content the cap counts from the last content',
      'api',
      { ...content, keepaliveA: s(319), lastContentA: s(20) },
      counted(s(319)),
    ],
    [
      'after content, at the cap',
      'api',
      { ...content, keepaliveA: s(320), lastContentA: s(20) },
      capped(s(320)),
    ],
    [
      'after content that only the request knows of',
      'api',
      { ...content, keepaliveA: s(310) },
      capped(s(310)),
    ],
  ] as const)('%s', (_, route, report, evidence) => {
    expect(weigh(turnIn(route, report))).toEqual(evidence);
  });
});

describe('what came before the last activity is spent', () => {
  test.each<[string, Turn, ReturnType<typeof weigh>]>([
    [
      'a keep-alive that was refused is not revived by a step',
      turnIn('api', { keepaliveA: s(700), lastA: s(705) }),
      nothing,
    ],
    ['at the same instant it counts', turnIn('api', { keepaliveA: s(705), lastA: s(705) }), counted(s(705))],
    ['its own counter', turnIn('local', { progressA: s(5), lastA: s(6) }), nothing],
    ['its slot', turnIn('local', { lastA: s(6) }, { ownA: s(5) }), nothing],
    ['the engine as a whole', turnIn('local', { lastA: s(6) }, { wideA: s(5) }), nothing],
    [
      'after content: what came before the last content',
      turnIn('api', {
        phase: 'text',
        requests: [aRequest({ contentA: s(10) })],
        keepaliveA: s(19),
        lastContentA: s(20),
        lastA: s(20),
      }),
      nothing,
    ],
  ])('%s', (_, turn, evidence) => {
    expect(weigh(turn)).toEqual(evidence);
  });
});

test('what counted once stays: only its successors fall to the cap', () => {
  const turn = { ...turnIn('local', { progressA: s(1900) }), countedA: s(1700) };
  expect(weigh(turn)).toEqual({ countedA: s(1700), cappedA: s(1900) });
});

describe('a request that the engine has not begun is queued', () => {
  test('only in first_token, and only the request that the engine means', () => {
    expect(effectivePhase(turnIn('local', {}, { queued: true }))).toBe('queued');
    expect(effectivePhase(turnIn('local', {}, { queued: false }))).toBe('first_token');
    expect(effectivePhase(turnIn('local', {}))).toBe('first_token');
    expect(effectivePhase(turnIn('local', {}, { queued: true, request: 'r0' }))).toBe('first_token');
    expect(effectivePhase(turnIn('local', { phase: 'text' }, { queued: true }))).toBe('text');
    expect(effectivePhase(turnIn('local', { requests: [] }, { queued: true }))).toBe('first_token');
  });

  test('it begins when the request was first seen to wait', () => {
    expect(effectivePhaseA(turnIn('local', { phaseA: 3 }, { queued: true, queuedA: 9 }))).toBe(9);
    expect(effectivePhaseA(turnIn('local', { phaseA: 3 }, { queued: true }))).toBe(3);
    expect(effectivePhaseA(turnIn('local', { phaseA: 3 }, { queued: false, queuedA: 9 }))).toBe(3);
  });
});
