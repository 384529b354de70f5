import { expect, test } from 'vitest';
import { PollFloor } from './poll-floor.ts';

test('whoever asks within the floor gets what was seen last', async () => {
  const floor = new PollFloor<number>();
  let looks = 0;
  const look = async (): Promise<number> => ++looks;
  const at = (monoMs: number, url = 'a') => floor.look(url, 2000, monoMs, look);
  expect([await at(0), await at(400), await at(1999), await at(2000), await at(2001)]).toEqual([
    1, 1, 1, 2, 2,
  ]);
  expect(await at(2002, 'b')).toBe(3);
});

test('two at once are one look, however long it takes', async () => {
  const floor = new PollFloor<string>();
  const pending = Promise.withResolvers<string>();
  const first = floor.look('a', 2000, 0, () => pending.promise);
  const second = floor.look('a', 2000, 9000, () => Promise.reject(new Error('a second look')));
  pending.resolve('seen');
  expect(await Promise.all([first, second])).toEqual(['seen', 'seen']);
});

test('a look that failed is not repeated at once either', async () => {
  const floor = new PollFloor<string>();
  await expect(floor.look('a', 2000, 0, () => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
  await expect(floor.look('a', 2000, 1000, async () => 'back')).rejects.toThrow('gone');
  expect(await floor.look('a', 2000, 2000, async () => 'back')).toBe('back');
});
