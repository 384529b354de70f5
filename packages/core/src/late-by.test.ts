import { describe, expect, test } from 'vitest';
import { anOrigin, at, s } from '../fixtures/given.ts';
import { lateBy, newProcess } from './liveness.ts';
import type { Now } from './time.ts';

/** What a path remembers of one producer: the longest that a record was late. */
function aPath(): { lagMs: number; readonly process: ReturnType<typeof newProcess> } {
  return { lagMs: 0, process: newProcess(anOrigin(), 'direct', at(0)) };
}
function noteLag(path: ReturnType<typeof aPath>, recordWallMs: number, now: Now, steady: boolean): void {
  const lateMs = lateBy(path.process, recordWallMs, now);
  if (steady) path.lagMs = Math.max(path.lagMs, lateMs);
}

describe('lag is what a record takes beyond the quickest one', () => {
  /** The lag after records made and heard at these seconds. */
  const lagAfter = (records: readonly (readonly [madeS: number, heardS: number, steady?: boolean])[]) => {
    const path = aPath();
    for (const [madeS, heardS, steady = true] of records) noteLag(path, at(madeS).wallMs, at(heardS), steady);
    return path.lagMs;
  };

  test('whatever the clocks are set to', () => {
    const path = aPath();
    const skewMs = 27 * 3_600_000;
    noteLag(path, at(0).wallMs + skewMs, at(1), true);
    expect(path.lagMs).toBe(0);
    noteLag(path, at(2).wallMs + skewMs, at(7), true);
    expect(path.lagMs).toBe(4000);
    noteLag(path, at(8).wallMs + skewMs, at(9), true);
    expect(path.lagMs).toBe(4000);
  });

  test("a step of the detector's wall clock is none: arrival is taken on the boot clock", () => {
    const path = aPath();
    noteLag(path, at(0).wallMs, at(1), true);
    noteLag(path, at(2).wallMs, { ...at(3), wallMs: at(3).wallMs + s(300) }, true);
    expect(path.lagMs).toBe(0);
  });

  test.each([
    [
      'ten minutes may be lag',
      [
        [0, 0],
        [1, 601],
      ],
      600,
    ],
    [
      "more is a producer's clock that was set back",
      [
        [0, 0],
        [1, 601.001],
      ],
      0,
    ],
    [
      'from there on the comparison is a new one',
      [
        [0, 0],
        [1, 3601],
        [2, 3607],
      ],
      5,
    ],
    [
      'a clock set forward begins a new one too',
      [
        [3600, 0],
        [1, 1],
        [2, 7],
      ],
      5,
    ],
    [
      'one that is set forward a little shows the rest as lag',
      [
        [60, 0],
        [1, 1],
      ],
      60,
    ],
    [
      'what it was before a step stays known',
      [
        [0, 0],
        [1, 5],
        [2, 3602],
      ],
      4,
    ],
  ] as const)('%s', (_, records, lagS) => {
    expect(lagAfter(records)).toBe(s(lagS));
  });

  test('what waited while the detector stood still was not late, but its quickest record counts', () => {
    expect(
      lagAfter([
        [0, 0],
        [1, 61, false],
      ]),
    ).toBe(0);
    expect(
      lagAfter([
        [0, 5],
        [1, 1, false],
        [9, 12],
      ]),
    ).toBe(s(3));
  });
});

test('two producers of one path are compared each with itself: clocks far apart hide no lag', () => {
  const [one, other] = [aPath(), aPath()];
  for (const [path, skewS] of [
    [one, 0],
    [other, 7200],
  ] as const) {
    noteLag(path, at(skewS).wallMs, at(0), true);
    noteLag(path, at(skewS + 1).wallMs, at(9), true);
  }
  expect([one.lagMs, other.lagMs]).toEqual([s(8), s(8)]);
});
