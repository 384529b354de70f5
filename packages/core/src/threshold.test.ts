import { describe, expect, test } from 'vitest';
import { learned, s } from '../fixtures/given.ts';
import { type Baseline, emptyBaseline } from './baseline.ts';
import { makePolicy, type PolicyInput } from './policy.ts';
import { falseFlagEstimate, type Judging, thresholdOf } from './threshold.ts';

const judging = (over: Partial<Judging> = {}): Judging => ({
  provider: 'acme',
  model: 'm1',
  route: 'api',
  phase: 'text',
  evidence: false,
  beforeContent: false,
  ...over,
});
const firstToken: Partial<Judging> = { phase: 'first_token', beforeContent: true };
const of = (policy: PolicyInput, over: Partial<Judging>, baseline: Baseline = emptyBaseline) =>
  thresholdOf(makePolicy(policy), judging(over), baseline);

describe('report 002: preset measured is the rule of the report, literally', () => {
  test.each([
    ['nothing known: D', {}, 0, 0, 90, 'default'],
    ['nothing known, first token: D', firstToken, 0, 0, 120, 'default'],
    ['nothing known, queued: D', { phase: 'queued', beforeContent: true }, 0, 0, 120, 'default'],
    ['nothing known, not streaming: D', { phase: 'non_streaming' }, 0, 0, 600, 'default'],
    ['nothing known, agent: D', { phase: 'agent' }, 0, 0, 600, 'default'],
    ['19 samples, a small gap: still D', {}, 19, 18, 90, 'default'],
    ['19 samples, a gap above D: the gap', {}, 19, 200, 200, 'default'],
    ['20 samples: 1.5 x the largest gap', {}, 20, 18, 27, 'measured'],
    ['20 samples, tiny gaps: floor 15', {}, 20, 2, 15, 'measured'],
    ['20 samples, tiny first tokens: floor 20', firstToken, 20, 2, 20, 'measured'],
    ['20 samples, tiny waits in the queue: floor 20', { phase: 'queued' }, 20, 2, 20, 'measured'],
    ['many samples: the margin stays', {}, 10_000, 18, 27, 'measured'],
  ] as const)('%s', (_, over, samples, maxS, thresholdS, source) => {
    expect(of({ preset: 'measured' }, over, learned(samples, s(maxS)))).toEqual({
      thresholdMs: s(thresholdS),
      confirmMs: s(thresholdS * 0.25),
      suspectMs: s(thresholdS),
      source,
      samples,
      largestGapMs: s(maxS),
    });
  });

  test('a floor of 0 switches the floor off', () => {
    expect(of({ preset: 'measured', floorMs: 0 }, {}, learned(20, s(2))).thresholdMs).toBe(s(3));
  });

  test('no back-off', () => {
    expect(of({ preset: 'measured' }, {}, learned(20, s(18), { backoff: 8 })).thresholdMs).toBe(s(27));
  });

  test('the confirm window is a share of T', () => {
    expect(of({ preset: 'measured', confirmRatio: 0.5 }, {}, learned(20, s(18))).confirmMs).toBe(13_500);
  });
});

describe('preset strict: a margin that shrinks, and a prior that fades', () => {
  // m = 1.5 + 2.6 x sqrt(20 / max(n, 20)): 4.1 at 20, 2.66275534829989 at 100, 2.08137767414995 at 400, 1.61627553 at 10 000.
  test.each([
    ['nothing known: D prime', {}, 0, 0, 240_000, 'default'],
    ['nothing known, first token', firstToken, 0, 0, 260_000, 'default'],
    [
      'a large prompt on api: tokens / 1000 s',
      { ...firstToken, promptTokens: 500_000 },
      0,
      0,
      500_000,
      'default',
    ],
    [
      'a large prompt on local: tokens / 150 s',
      { ...firstToken, route: 'local', promptTokens: 60_000 },
      0,
      0,
      400_000,
      'default',
    ],
    ['a small prompt never lowers the prior', { ...firstToken, promptTokens: 100 }, 0, 0, 260_000, 'default'],
    ['the prompt is for the first token alone', { promptTokens: 500_000 }, 0, 0, 240_000, 'default'],
    ['19 samples: 4.1 x the gap where that is more', {}, 19, 100, 410_000, 'default'],
    ['20 samples: the prior still stands', {}, 20, 18, 240_000, 'default'],
    ['20 samples, a large gap: 4.1 x', {}, 20, 100, 410_000, 'measured'],
    ['100 samples: the prior begins to fade', {}, 100, 60, 240_000, 'default'],
    ['100 samples: 2.66 x a large gap', {}, 100, 100, 266_275.534829989, 'measured'],
    ['400 samples: an eighth of the prior', {}, 400, 5, 30_000, 'default'],
    ['400 samples: 2.08 x the gap', {}, 400, 60, 124_882.660448997, 'measured'],
    ['10 000 samples: the floor', {}, 10_000, 5, 15_000, 'measured'],
    ['10 000 samples: the floor of a first token', { ...firstToken }, 10_000, 5, 20_000, 'measured'],
  ] as const)('%s', (_, over, samples, maxS, thresholdMs, source) => {
    const threshold = of({}, over, learned(samples, s(maxS)));
    expect(threshold.thresholdMs).toBeCloseTo(thresholdMs, 3);
    expect(threshold.confirmMs).toBeCloseTo(thresholdMs / 4, 3);
    expect(threshold.source).toBe(source);
  });

  test.each([
    ['n < 20', 0, 0, 480_000],
    ['n >= 20', 400, 60, 249_765.320897994],
  ])('T x back-off: %s', (_, samples, maxS, thresholdMs) => {
    expect(of({}, {}, learned(samples, s(maxS), { backoff: 2 })).thresholdMs).toBeCloseTo(thresholdMs, 3);
  });

  test.each([
    ['from T + C of measured on', 400, 60, 112_500],
    ['from T + C of measured on, nothing known', 0, 0, 112_500],
    ['from its own T where that is less', 10_000, 60, 96_976.532088998],
  ])('suspect %s', (_, samples, maxS, suspectMs) => {
    expect(of({}, {}, learned(samples, s(maxS))).suspectMs).toBeCloseTo(suspectMs, 3);
  });

  test('a first token is suspect at 150 s and flagged at 325 s', () => {
    const threshold = of({}, firstToken);
    expect(threshold.suspectMs).toBe(150_000);
    expect(threshold.thresholdMs + threshold.confirmMs).toBe(325_000);
  });
});

describe('report 000: cached reads never judge a long one', () => {
  const local: Partial<Judging> = { ...firstToken, route: 'local' };

  test.each([
    ['measured, first token', 'measured', local, 120_000, 'default'],
    ['measured, queued', 'measured', { ...local, phase: 'queued' }, 120_000, 'default'],
    ['strict, first token', 'strict', local, 260_000, 'default'],
    ['once evidence came its own key judges', 'measured', { ...local, evidence: true }, 20_000, 'measured'],
    [
      'after the first content of the request',
      'measured',
      { ...local, beforeContent: false },
      20_000,
      'measured',
    ],
    ['on api the gaps are what they are', 'measured', firstToken, 20_000, 'measured'],
    ['text is not affected', 'measured', { ...local, phase: 'text' }, 15_000, 'measured'],
  ] as const)(
    'T on local before any sign of the engine is never below D: %s',
    (_, preset, over, ms, source) => {
      expect(of({ preset }, over, learned(10_000, s(2)))).toMatchObject({ thresholdMs: ms, source });
    },
  );

  test('back-off goes on top of D prime', () => {
    expect(of({}, local, learned(10_000, s(2), { backoff: 4 })).thresholdMs).toBe(1_040_000);
  });

  test('a measured T above D stays', () => {
    expect(of({ preset: 'measured' }, local, learned(20, s(100)))).toMatchObject({
      thresholdMs: 150_000,
      source: 'measured',
    });
    expect(of({}, local, learned(10_000, s(200))).source).toBe('measured');
  });

  // 20 reads of 10 000 tokens at 1 ms a token: b = 1 ms, r = 0, so 60 000 tokens are expected to take 60 s.
  const reads = Array.from({ length: 20 }, () => ({ tokens: 10_000, ms: 10_000 }));
  const withReads = (samples: number) =>
    learned(samples, s(10), { reads: { recent: reads, stairs: [{ tokens: 10_000, ms: 10_000 }] } });

  test.each([
    ['measured: 1.5 x 60 s', 'measured', { ...local, promptTokens: 60_000 }, 20, 90_000],
    [
      'strict at 10 000 samples: 1.616 x 60 s',
      'strict',
      { ...local, promptTokens: 60_000 },
      10_000,
      96_976.532088998,
    ],
    ['no prompt size, no normalising', 'measured', local, 20, 120_000],
    [
      'evidence has a key of its own',
      'measured',
      { ...local, evidence: true, promptTokens: 60_000 },
      20,
      20_000,
    ],
    ['too few samples: max(D, expected)', 'measured', { ...local, promptTokens: 150_000 }, 19, 150_000],
  ] as const)('a known prompt size scales the expectation: %s', (_, preset, over, samples, thresholdMs) => {
    expect(of({ preset }, over, withReads(samples)).thresholdMs).toBeCloseTo(thresholdMs, 3);
  });

  test('with fewer than 20 reads the largest gap rules', () => {
    const few = learned(20, s(10), { reads: { recent: reads.slice(1), stairs: [] } });
    expect(of({ preset: 'measured' }, { ...firstToken, promptTokens: 60_000 }, few).thresholdMs).toBe(20_000);
  });
});

describe('priors and operator thresholds', () => {
  test('defaultThresholdMs sets D and D prime alike', () => {
    const defaultThresholdMs = { text: s(300) };
    expect(of({ preset: 'measured', defaultThresholdMs }, {}).thresholdMs).toBe(s(300));
    expect(of({ preset: 'strict', defaultThresholdMs }, {}).thresholdMs).toBe(s(300));
  });

  test('an operator threshold moves the suspicion too, never above T', () => {
    expect(of({ defaultThresholdMs: { text: s(40) } }, {}).suspectMs).toBe(s(40));
  });
});

describe('chance of a false flag', () => {
  // (1.25 x 27 / 18)^-1.5 = 0.389490; the example of the event contract: 412 samples give 0.00094.
  test.each([
    [20, 0.0185471],
    [412, 0.00094307],
  ])('after %i samples', (samples, estimate) => {
    const threshold = of({ preset: 'measured' }, {}, learned(samples, s(18)));
    expect(falseFlagEstimate(threshold, makePolicy())).toBeCloseTo(estimate, 6);
  });

  test('null while nothing is known, or all gaps were 0', () => {
    expect(falseFlagEstimate(of({}, {}), makePolicy())).toBeNull();
    expect(falseFlagEstimate(of({}, {}, learned(20, 0)), makePolicy())).toBeNull();
  });
});
