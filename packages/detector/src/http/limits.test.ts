import { afterEach, expect, test } from 'vitest';
import { Api } from '../testing/api.ts';
import { type RunningDetector, runDetector } from '../testing/running-detector.ts';
import { WindowCounter } from './window-counter.ts';

let running: RunningDetector;
afterEach(() => running?.detector.stop());

const token = (name: string): string => `${name}-token-0123456789`;
const tokens = ['one', 'two'].map((id) => ({ id, token: token(id), scopes: ['read' as const] }));

test('each token has its own minute; the answer says how much is left and when to ask again', async () => {
  running = await runDetector({ tokens, limits: { requestsPerMinute: 2 } });
  const [one, two] = ['one', 'two'].map((id) => new Api(running.url, token(id))) as [Api, Api];
  const first = await one.call('GET', '/v1/turns');
  expect([first.headers.get('ratelimit-policy'), first.headers.get('ratelimit')]).toEqual([
    '"minute";q=2;w=60',
    '"minute";r=1;t=60',
  ]);
  await one.call('GET', '/v1/turns');
  running.clocks.advance(20_000);
  const refused = await one.call('GET', '/v1/turns');
  expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
    429,
    'TURNWATCH_ERR_TOO_MANY_REQUESTS',
    '40',
  ]);
  expect((await two.call('GET', '/v1/turns')).status).toBe(200);
  // Whoever watches whether it lives must not be turned away.
  expect((await one.call('GET', '/readyz')).status).toBe(200);
  running.clocks.advance(40_000);
  expect((await one.call('GET', '/v1/turns')).status).toBe(200);
});

test('without tokens it is the address that is counted; records never are; 0 is no limit', async () => {
  running = await runDetector({ limits: { requestsPerMinute: 1 } });
  const api = new Api(running.url);
  expect((await api.call('GET', '/v1/turns')).status).toBe(200);
  expect((await api.call('GET', '/v1/turns')).status).toBe(429);
  for (let i = 0; i < 3; i++) expect((await api.call('POST', '/v1/logs', {})).status).toBe(200);
  await running.detector.stop();
  running = await runDetector({ limits: { requestsPerMinute: 0 } });
  const { status, headers } = await new Api(running.url).call('GET', '/v1/turns');
  expect([status, headers.get('ratelimit')]).toEqual([200, null]);
});

test('whoever tries tokens is slowed down, and a right one passes all the same', async () => {
  running = await runDetector({ tokens, limits: { failedAuthenticationsPerMinute: 2 } });
  const guess = new Api(running.url, 'guess-0123456789-abc');
  const statuses = [];
  for (let i = 0; i < 3; i++) statuses.push((await guess.call('GET', '/v1/turns')).status);
  expect(statuses).toEqual([401, 401, 429]);
  expect((await guess.call('GET', '/v1/turns')).body.code).toBe('TURNWATCH_ERR_TOO_MANY_FAILURES');
  // Without a token one is told that one is needed.
  expect((await new Api(running.url).call('GET', '/v1/turns')).status).toBe(401);
  expect((await guess.as(token('one')).call('GET', '/v1/turns')).status).toBe(200);
});

test('a counter forgets the oldest callers rather than grow for ever', () => {
  let nowMs = 0;
  const counter = new WindowCounter(5, () => nowMs);
  counter.add('first');
  for (let i = 0; i < 10_000; i++) counter.add(`caller ${i}`);
  expect(counter.add('first').count).toBe(1);
  expect(counter.add('caller 9999').count).toBe(2);
  nowMs = 60_000;
  expect(counter.add('caller 9999')).toEqual({ count: 1, resetMs: 60_000 });
});
