import { expect, test } from 'vitest';
import { benchCore } from './core-bench.ts';
import { quantile, tableOf } from './measurement.ts';
import type { Meter } from './meter.ts';
import { withSection } from './page.ts';

/** Every look at it is 1 ms and 100 bytes on. */
function countingMeter(): Meter & { readonly collections: () => number } {
  let ms = 0;
  let bytes = 0;
  let collections = 0;
  return {
    nowMs: () => ++ms,
    heapBytes: () => (bytes += 100),
    collect: () => void collections++,
    collections: () => collections,
  };
}

test('the benchmark of the core runs and measures each thing once a size', () => {
  const meter = countingMeter();
  const measured = benchCore({ sizes: [150, 300], ticks: 3, heartbeats: 200, restored: 120 }, meter);
  expect(meter.collections()).toBe(6);
  expect(measured.map(({ name }) => name)).toEqual([
    ...[150, 300].flatMap((size) => [
      `tick, nothing due, ${size} running turns, median`,
      `tick, nothing due, ${size} running turns, p95`,
      `allocation a tick, ${size} running turns`,
      `allocation a turn and tick, ${size} running turns`,
      `memory a running turn, ${size} running turns`,
    ]),
    'heartbeat of a turn, received and judged, 150 running turns, batches of 100, median',
    'heartbeat of a turn, received and judged, 150 running turns, batches of 100, p95',
    'restore of 120 turns, parsed and judged, median',
    'stored, a turn',
  ]);
  for (const { value } of measured) expect(value).toBeGreaterThan(0);
  expect(measured[0]).toMatchObject({ value: 1, unit: 'ms' });
});

test('what is over its limit is marked in the table', () => {
  const table = tableOf([
    { name: 'a', value: 0.5, unit: 'ms', limit: 1 },
    { name: 'b', value: 1234.5, unit: 'B', limit: 1000 },
  ]);
  expect(table).toContain('| a | 0.500 ms | 1.00 ms |');
  expect(table).toContain('| b | 1235 B | 1000 B **exceeded** |');
  expect(quantile([5, 1, 3], 0.95)).toBe(5);
  expect(table).not.toContain('ratio');
});

test('a table with ratios has a column for them, and what must be above says so', () => {
  const table = tableOf([
    { name: 'ours', value: 40, unit: '', floor: 50 },
    { name: 'theirs', value: 20, unit: '1/s', ratio: 0.5 },
  ]);
  expect(table).toContain('| what | measured | ratio | must be below |');
  expect(table).toContain('| ours | 40.0 |  | above 50.0 **missed** |');
  expect(table).toContain('| theirs | 20.0 1/s | 0.500 |  |');
});

test('a section replaces its older self and leaves its neighbours alone', () => {
  const one = withSection(undefined, 'core', 'm1', 't1');
  const two = withSection(one, 'detector', 'm2', 't2');
  const three = withSection(two, 'core', 'm3', 't3');
  expect(three.match(/## core/g)).toHaveLength(1);
  expect(three).toContain('t3');
  expect(three).not.toContain('t1');
  expect(three).toContain('## detector\n\nm2\n\nt2');
});
