import type { ForeignRecord } from '@turnwatch/plugin';
import { expect, test } from 'vitest';
import { ForeignDoubles } from './foreign-doubles.ts';

const log = (timeMs: number): ForeignRecord => ({
  kind: 'log',
  eventName: 'codex.sse_event',
  timeMs,
  attributes: {},
  resource: {},
});

test('equal records of one batch are as many; sent again they are none', () => {
  const doubles = new ForeignDoubles();
  const batch = [log(1), log(1), log(2)];
  expect(doubles.take(batch, 'a').records).toEqual(batch);
  expect(doubles.take(batch, 'a').records).toEqual([]);
  expect(doubles.take([...batch, log(1)], 'a').records).toEqual([log(1)]);
});

test('another owner’s are others, and those without a time cannot be told apart', () => {
  const doubles = new ForeignDoubles();
  doubles.take([log(1)], 'a');
  expect(doubles.take([log(1)], 'b').records).toHaveLength(1);
  for (let time = 0; time < 2; time++) expect(doubles.take([log(0)], 'a').records).toHaveLength(1);
});

test('a batch that could not be kept is taken when it is sent again', () => {
  const doubles = new ForeignDoubles();
  doubles.take([log(1)], undefined).forget();
  expect(doubles.take([log(1)], undefined).records).toHaveLength(1);
});

test('the oldest are forgotten', () => {
  const doubles = new ForeignDoubles();
  doubles.take([log(1)], 'a');
  doubles.take(
    Array.from({ length: 20_000 }, (_, n) => log(n + 2)),
    'a',
  );
  expect(doubles.take([log(1)], 'a').records).toHaveLength(1);
});
