import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { admit, type Baseline, emptyBaseline, largestGapMs, refute } from './baseline.ts';
import { makePolicy } from './policy.ts';
import { thresholdOf } from './threshold.ts';

// Never below the largest healthy gap seen, for its key and, where normalised, its prompt size (report 002).

interface Lesson {
  readonly gapMs: number;
  readonly tokens: number;
  readonly refuted: boolean;
}

const lessons = fc.array(
  fc.record({
    gapMs: fc.integer({ min: 0, max: 3_600_000 }),
    tokens: fc.integer({ min: 1, max: 200_000 }),
    refuted: fc.boolean(),
  }),
  { maxLength: 60 },
);

function taught(all: readonly Lesson[]): Baseline {
  return all.reduce((baseline, { gapMs, tokens, refuted }, i) => {
    const admitted = admit(baseline, { turn: `t${i}`, gapMs, reads: [{ tokens, ms: gapMs }] });
    return refuted ? refute(admitted) : admitted;
  }, emptyBaseline);
}

describe.each(['measured', 'strict'] as const)('%s', (preset) => {
  const policy = fc
    .record({
      margin: fc.double({ min: 1, max: 3, noNaN: true }),
      minSamples: fc.integer({ min: 1, max: 30 }),
    })
    .map((input) => makePolicy({ preset, ...input, floorMs: 0 }));
  const judging = {
    provider: 'acme',
    model: 'm1',
    route: fc.constantFrom('api' as const, 'local' as const),
    evidence: fc.boolean(),
    beforeContent: fc.boolean(),
  };

  test('of any key', () => {
    fc.assert(
      fc.property(
        lessons,
        policy,
        judging.route,
        judging.evidence,
        judging.beforeContent,
        (all, rules, route, evidence, beforeContent) => {
          const baseline = taught(all);
          for (const phase of ['first_token', 'queued', 'text', 'agent'] as const) {
            const key = { provider: 'acme', model: 'm1', route, evidence, beforeContent, phase };
            const { thresholdMs, suspectMs } = thresholdOf(rules, key, baseline);
            expect(thresholdMs).toBeGreaterThanOrEqual(largestGapMs(baseline));
            expect(suspectMs).toBeGreaterThanOrEqual(largestGapMs(baseline));
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test('of any prompt size: the largest first-token time seen at that size or smaller', () => {
    fc.assert(
      fc.property(lessons, policy, fc.integer({ min: 1, max: 200_000 }), (all, rules, promptTokens) => {
        const seen = Math.max(
          0,
          ...all.flatMap(({ tokens, gapMs }) => (tokens <= promptTokens ? [gapMs] : [])),
        );
        const key = {
          provider: 'acme',
          model: 'm1',
          route: 'api',
          evidence: false,
          beforeContent: true,
        } as const;
        const { thresholdMs } = thresholdOf(
          rules,
          { ...key, phase: 'first_token', promptTokens },
          taught(all),
        );
        expect(thresholdMs).toBeGreaterThanOrEqual(seen);
      }),
      { numRuns: 300 },
    );
  });
});
