import { expect, test } from 'vitest';
import { aTurn } from '../fixtures/given.ts';
import { packed } from './packed.ts';

test('a packed turn is the same turn, with what is optional and without', () => {
  const plain = aTurn();
  expect(packed(plain)).toStrictEqual(plain);
  const full = aTurn({
    countedA: 1,
    heldMs: 2,
    linksDueA: 3,
    suspectMs: 4,
    judgedErrorA: 5,
    orders: { thresholdsMs: {}, untold: false },
    engine: { request: 'r1', queued: true },
  });
  expect(packed(full)).toStrictEqual(full);
});
