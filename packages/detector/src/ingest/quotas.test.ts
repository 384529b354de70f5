import { beforeEach, expect, test } from 'vitest';
import { Quotas } from './quotas.ts';

let nowMs: number;
let quotas: Quotas;
beforeEach(() => {
  nowMs = 0;
  quotas = new Quotas({ recordsPerSecond: 100, busyMsPerSecond: 500 }, () => nowMs);
});

test('two seconds of records may come at once; the debt is paid off with time', () => {
  quotas.charge('a', { records: 199, busyMs: 1 });
  expect(quotas.exceeded('a')).toBeUndefined();
  quotas.charge('a', { records: 201, busyMs: 1 });
  expect(quotas.exceeded('a')).toBe('records');
  nowMs = 2000;
  expect(quotas.exceeded('a')).toBe('records');
  nowMs = 2001;
  expect(quotas.exceeded('a')).toBeUndefined();
});

test('time that was taken counts as well, and each source for itself', () => {
  quotas.charge('a', { records: 1, busyMs: 1500 });
  expect(quotas.exceeded('a')).toBe('busyMs');
  expect(quotas.exceeded('b')).toBeUndefined();
  nowMs = 1001;
  expect(quotas.exceeded('a')).toBeUndefined();
});

test('a rest is worth no more than the burst', () => {
  nowMs = 3_600_000;
  quotas.charge('a', { records: 200, busyMs: 0 });
  expect(quotas.exceeded('a')).toBe('records');
});

test('names that are made up without end do not make it forget who is in debt for long, nor grow', () => {
  quotas.charge('debtor', { records: 10_000, busyMs: 0 });
  for (let n = 0; n < 20_000; n++) {
    nowMs += 1;
    quotas.charge(`made up ${n}`, { records: 1, busyMs: 0 });
  }
  expect(quotas.exceeded('debtor')).toBe('records');
});
