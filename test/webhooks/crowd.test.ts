import { expect, test } from 'vitest';
import { crowd } from './crowd.ts';

test('endpoints that hang, fail and stream without end hold up no other, and what they did not take is kept', async () => {
  const result = await crowd({
    endpoints: 150,
    hang: 100,
    fail: 20,
    endless: 1,
    eventsEach: 2,
    perSecond: Number.POSITIVE_INFINITY,
  });
  // It resolves when every healthy endpoint has all of its events.
  expect(result).toMatchObject({ healthyEndpoints: 29, healthyEvents: 58, posts: { healthy: 58 } });
  expect(result.kept).toMatchObject({ hangs: 200, fails: 40 });
  // 64 places, and those that hang give theirs up long before their POST has timed out.
  expect(result.mostHanging).toBeGreaterThan(64);
}, 60_000);
