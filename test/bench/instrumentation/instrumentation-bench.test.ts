import { expect, test } from 'vitest';
import { contestants } from './contestants.ts';
import { estimate } from './estimate.ts';
import { busiest, perSecond } from './export-rate.ts';
import { benchInstrumentation, smokeInstrumentation } from './instrumentation-bench.ts';
import { costsOf, over } from './stream-costs.ts';
import { verdict } from './verdict.ts';

test('long and short streams tell what a chunk costs and what a request costs', () => {
  const sizes = { long: { streams: 2, chunks: 100 }, short: { streams: 10, chunks: 10 } };
  // 40 us a request, 3 us a chunk, 5 us an export.
  const round = { longUs: 2 * (40 + 300), shortUs: 10 * (40 + 30), exportUs: 50 };
  expect(costsOf(round, sizes)).toEqual({ chunkUs: 3, requestUs: 45 });
});

test('what is over the plain loop is counted round by round', () => {
  expect(over([12, 25, 13], [10, 20, 10])).toEqual([2, 5, 3]);
});

test('an estimate is not moved by a round that was disturbed', () => {
  const { value, uncertainty } = estimate([2, 2, 2, 2, 2, 2, 2, 900]);
  expect(value).toBe(2);
  expect(uncertainty).toBe(0);
  expect(estimate([1, 3, 1, 3]).uncertainty).toBeGreaterThan(0.5);
});

function rival(title: string, value: number, uncertainty: number): Parameters<typeof verdict>[1][number] {
  return { title, cost: { value, uncertainty } };
}

test('the verdict names the cheapest with its factor over the cheapest of the others', () => {
  const others = [rival('B', 90, 1), rival('A', 60, 1)];
  expect(verdict('w', [rival('dear', 99, 1), rival('ours', 20, 1)], others)).toBe(
    'w: ours is the cheapest, ours, by a factor of 3.0 below A.',
  );
});

test('the verdict says so where ours is not the cheapest', () => {
  expect(verdict('w', [rival('ours', 90, 1)], [rival('A', 30, 1)])).toBe(
    'w: ours is NOT the cheapest. A is by a factor of 3.0 below ours.',
  );
});

test('the verdict claims no factor that the noise could have made', () => {
  expect(verdict('w', [rival('ours', 1, 2)], [rival('A', 4, 2)])).toBe('w: ours and A cannot be told apart.');
  // Below its own noise, only that it is less than that can be said.
  expect(verdict('w', [rival('ours', -0.5, 1)], [rival('A', 20, 1)])).toBe(
    'w: ours is the cheapest, ours, at least by a factor of 8.0 below A.',
  );
  // Somebody is 5 below nothing: so much may all of them be off.
  expect(verdict('w', [rival('ours', 2, 1)], [rival('A', -5, 1), rival('B', 9, 1)])).toContain('told apart');
  expect(verdict('w', [rival('ours', 9, 1)], [rival('A', -5, 1)])).toContain(
    'A is at least by a factor of 1.3',
  );
  expect(verdict('w', [], [rival('A', 20, 1)])).toBe('w: nothing to compare.');
});

test('the rate of exports is between the first and the last, and the busiest second is looked for', () => {
  expect(perSecond([100, 350, 600, 850, 1100])).toBe(4);
  expect(busiest([0, 900, 1000, 1100, 1899, 1900, 5000])).toBe(4);
});

test('each contestant patches the client, and all that must be shown is shown', {
  timeout: 120_000,
}, async () => {
  const { measurements, notes } = await benchInstrumentation(smokeInstrumentation);
  expect(notes.filter((note) => note.includes('did not take part'))).toEqual([]);
  for (const { name, value } of measurements) expect(value, name).not.toBeNaN();
  const names = measurements.map(({ name }) => name);
  expect(names).toContain('request.chunk(), one request, median');
  expect(names.filter((name) => name.startsWith('tap of a chunk'))).toHaveLength(7);
  for (const { title, whose, needsSocket } of Object.values(contestants)) {
    const isMeasured = names.filter((name) => name.includes(title));
    expect(isMeasured).toHaveLength(whose === 'nobody' ? 7 : needsSocket === true ? 6 : 10);
  }
  expect(measurements.find(({ name }) => name.startsWith('export requests'))).toMatchObject({
    unit: '1/s',
    limit: 4,
  });
});
