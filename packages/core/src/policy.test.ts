import { describe, expect, test } from 'vitest';
import { defaultThresholdMs, makePolicy, type PolicyInput, type Prior } from './policy.ts';

const acme = { provider: 'acme', model: 'm1', route: 'api' } as const;

test('the defaults are those of the rules', () => {
  expect(makePolicy()).toEqual({
    preset: 'strict',
    defaultThresholdMs: {},
    floorMs: { first_token: 20_000, other: 15_000 },
    minSamples: 20,
    margin: 1.5,
    confirmRatio: 0.25,
    engineGraceMs: 1_800_000,
    keepaliveApiMs: 600_000,
    toolIdleTimeoutMs: 600_000,
    pendingGraceMultiplier: 3,
    longPauseMs: 60_000,
    unreachableMs: { server: 60_000, portable: 600_000 },
    blockedMs: 600_000,
    noContentMs: 3_600_000,
    handoverMs: 120_000,
    defaultExpiresAfterMs: 86_400_000,
    priors: [],
  });
});

test('a floor may be one number, or one of the two', () => {
  expect(makePolicy({ floorMs: 0 }).floorMs).toEqual({ first_token: 0, other: 0 });
  expect(makePolicy({ floorMs: { first_token: 5 } }).floorMs).toEqual({ first_token: 5, other: 15_000 });
  expect(makePolicy({ floorMs: { other: 5 } }).floorMs).toEqual({ first_token: 20_000, other: 5 });
});

test('one of the two times of unreachability may be set', () => {
  expect(makePolicy({ unreachableMs: { server: 5 } }).unreachableMs).toEqual({
    server: 5,
    portable: 600_000,
  });
});

describe('a number that makes no sense is refused by its name', () => {
  test.each<[string, PolicyInput]>([
    ['preset', { preset: 'lax' as never }],
    ['minSamples', { minSamples: 0 }],
    ['margin', { margin: 0.9 }],
    ['confirmRatio', { confirmRatio: -0.1 }],
    ['pendingGraceMultiplier', { pendingGraceMultiplier: -1 }],
    ['engineGraceMs', { engineGraceMs: -1 }],
    ['keepaliveApiMs', { keepaliveApiMs: Number.NaN }],
    ['toolIdleTimeoutMs', { toolIdleTimeoutMs: Number.POSITIVE_INFINITY }],
    ['longPauseMs', { longPauseMs: 0 }],
    ['blockedMs', { blockedMs: 0 }],
    ['noContentMs', { noContentMs: 0 }],
    ['handoverMs', { handoverMs: 0 }],
    ['defaultExpiresAfterMs', { defaultExpiresAfterMs: 0 }],
    ['unreachableMs.server', { unreachableMs: { server: 0 } }],
    ['unreachableMs.portable', { unreachableMs: { portable: 0 } }],
    ['floorMs.first_token', { floorMs: { first_token: -1 } }],
    ['floorMs.other', { floorMs: { other: -1 } }],
    ['defaultThresholdMs.text', { defaultThresholdMs: { text: 0 } }],
    ['priors[1].thresholdMs.agent', { priors: [{ thresholdMs: {} }, { thresholdMs: { agent: -1 } }] }],
  ])('%s', (field, input) => {
    const refused = (): unknown => makePolicy(input);
    expect(refused).toThrow(RangeError);
    expect(refused).toThrow(`policy.${field} must be`);
  });

  test('undefined is the same as not set', () => {
    expect(
      makePolicy({
        margin: undefined,
        defaultThresholdMs: { text: undefined },
        priors: [{ thresholdMs: { text: undefined } }],
      }).margin,
    ).toBe(1.5);
  });
});

describe('default thresholds', () => {
  test.each([
    ['queued', 120, 260],
    ['first_token', 120, 260],
    ['reasoning', 90, 240],
    ['text', 90, 240],
    ['tool_args', 90, 240],
    ['non_streaming', 600, 600],
    ['compacting', 600, 600],
    ['agent', 600, 600],
  ] as const)('%s: %i s measured, %i s strict', (phase, measuredS, strictS) => {
    expect(defaultThresholdMs(makePolicy(), 'measured', acme, phase)).toBe(measuredS * 1000);
    expect(defaultThresholdMs(makePolicy(), 'strict', acme, phase)).toBe(strictS * 1000);
  });

  const text = (ms: number): Pick<Prior, 'thresholdMs'> => ({ thresholdMs: { text: ms } });

  test.each<[string, readonly Prior[], number]>([
    ['none fits: the operator default', [{ provider: 'other', ...text(1) }], 700],
    ['another model', [{ model: 'm2', ...text(1) }], 700],
    ['another route', [{ route: 'local', ...text(1) }], 700],
    ['another phase', [{ thresholdMs: { agent: 1 } }], 700],
    ['all parts fit', [{ provider: 'acme', model: 'm1', route: 'api', ...text(5) }], 5],
    ['the last that fits wins', [text(5), text(6)], 6],
    ['the last fits not: the one before', [text(5), { model: 'm2', ...text(6) }], 5],
  ])('priors, %s', (_, priors, ms) => {
    const policy = makePolicy({ defaultThresholdMs: { text: 700 }, priors });
    expect(defaultThresholdMs(policy, 'strict', acme, 'text')).toBe(ms);
  });
});
