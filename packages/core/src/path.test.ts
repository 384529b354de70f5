import { describe, expect, test } from 'vitest';
import { at, s, wallZeroMs } from '../fixtures/given.ts';
import { canaryBack, canaryFresh, newPath, noteLag, pathSettled } from './path.ts';

describe('the canary shows whether a path works', () => {
  test('it is fresh for 5 s', () => {
    const path = newPath('direct');
    expect(canaryFresh(path, at(0))).toBe(false);
    canaryBack(path, at(10));
    expect(canaryFresh(path, at(14.9))).toBe(true);
    expect(canaryFresh(path, at(15))).toBe(false);
  });

  test('after an outage living processes get the time of two heartbeats first', () => {
    const path = newPath('direct');
    expect(pathSettled(path, at(0))).toBe(false);
    canaryBack(path, at(10));
    expect(pathSettled(path, at(11.9))).toBe(false);
    expect(pathSettled(path, at(12))).toBe(true);
    canaryBack(path, at(14));
    expect(pathSettled(path, at(14))).toBe(true);
    canaryBack(path, at(40));
    expect(pathSettled(path, at(40))).toBe(false);
    expect(pathSettled(path, at(42))).toBe(true);
  });

  test('its return ends the outage that was told', () => {
    const path = newPath('direct');
    path.silentTold = true;
    canaryBack(path, at(10));
    expect(path).toMatchObject({ silentTold: false, canaryWallMs: wallZeroMs + 10_000 });
  });
});

describe('lag is what a record takes beyond the quickest one', () => {
  /** The lag after records made and heard at these seconds. */
  const lagAfter = (records: readonly (readonly [madeS: number, heardS: number, steady?: boolean])[]) => {
    const path = newPath('direct');
    for (const [madeS, heardS, steady = true] of records) noteLag(path, at(madeS).wallMs, at(heardS), steady);
    return path.lagMs;
  };

  test('whatever the clocks are set to', () => {
    const path = newPath('direct');
    const skewMs = 27 * 3_600_000;
    noteLag(path, at(0).wallMs + skewMs, at(1), true);
    expect(path.lagMs).toBe(0);
    noteLag(path, at(2).wallMs + skewMs, at(7), true);
    expect(path.lagMs).toBe(4000);
    noteLag(path, at(8).wallMs + skewMs, at(9), true);
    expect(path.lagMs).toBe(4000);
  });

  test("a step of the detector's wall clock is none: arrival is taken on the boot clock", () => {
    const path = newPath('direct');
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
