import { expect, test } from 'vitest';
import { benchDetector, reportOf, smokeDetector } from './detector-bench.ts';
import { bareHttp, stalls, turnwatch } from './receiver.ts';
import type { SizeResult } from './size-run.ts';

const result: SizeResult = {
  turns: 10_000,
  windowMs: 10_000,
  records: 101_000,
  bytes: 100_000_000,
  failures: 0,
  skipped: 0,
  cpuMs: 2000,
  loadCpuMs: 1000,
  residentBytes: 300e6,
  heapBytesATurn: 2500,
  detectionMs: [stalls.thresholdMs + stalls.confirmMs + 100, stalls.thresholdMs + stalls.confirmMs + 900],
  missed: 0,
  unasked: 0,
};
const without = { ...result, cpuMs: 500, detectionMs: [] };

test('rows say what one core holds, what a verdict takes beyond what it must, and how others compare', () => {
  const { measurements, notes } = reportOf(
    smokeDetector,
    new Map([
      [turnwatch, [result]],
      [bareHttp, [without]],
    ]),
  );
  const row = (name: string) => measurements.find((each) => each.name === name);
  const of = '10000 running turns, Turnwatch';
  expect(row(`CPU, ${of}`)).toMatchObject({ value: 200, unit: 'ms/s' });
  expect(row(`CPU a record, ${of}`)?.value).toBeCloseTo(19.8, 1);
  expect(row(`turns at 1 Hz a core holds, ${of}`)).toMatchObject({
    value: expect.closeTo(50_000, 3),
    floor: 50_000,
  });
  expect(row(`last activity to the parent's handler, ${of}, p50`)?.value).toBe(2600);
  expect(row(`... less threshold and confirm window, ${of}, p99`)).toMatchObject({ value: 900, limit: 1500 });
  expect(row('CPU, 10000 running turns, bare HTTP')).toMatchObject({ value: 50, ratio: 0.25 });
  expect(row('records a core takes, 10000 running turns, bare HTTP')?.ratio).toBeCloseTo(4);
  expect(notes.join('\n')).not.toMatch(/only|NOT|unasked|refused/);
});

test('what makes a number worth less than it looks is said', () => {
  const poor = { ...result, records: 50_000, skipped: 500, failures: 2, missed: 1, unasked: 3 };
  const { notes } = reportOf(smokeDetector, new Map([[turnwatch, [poor]]]));
  const of = '10000 running turns, Turnwatch';
  expect(notes).toEqual(
    expect.arrayContaining([
      `${of}: only 50 % of the beats came through; 500 were not sent, since the one before was under way.`,
      `${of}: 2 requests were refused or failed.`,
      `${of}: 1 stalled turns were NOT told.`,
      `${of}: 3 events were told twice or unasked.`,
    ]),
  );
});

test('the whole of it, with real processes and few turns', { timeout: 90_000 }, async () => {
  const { measurements, notes } = await benchDetector(smokeDetector);
  for (const { name, value } of measurements) expect(Number.isNaN(value), name).toBe(false);
  expect(measurements.map(({ name }) => name)).toContain(
    '... less threshold and confirm window, 200 running turns, Turnwatch, p99',
  );
  expect(notes.join('\n')).not.toMatch(/NOT told|unasked|refused/);
});
