import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Logger } from '../logger.ts';
import { silentLogger } from '../logger.ts';
import { type RunningDetector, runDetector } from '../testing/running-detector.ts';

const lines: object[] = [];
const logger: Logger = {
  ...silentLogger,
  debug: (fields, message) => void lines.push({ ...fields, message }),
};
const token = 'reader-token-0123456789';
let running: RunningDetector;
beforeAll(async () => {
  running = await runDetector({ tokens: [{ id: 'reader', token, scopes: ['read'] }] }, { logger });
});
afterAll(() => running.detector.stop());

test.each(['/v1/turns', '/healthz', '/errors', '/openapi.json', '/nothing'])(
  '%s cannot be framed, guessed at or kept, and no other site may read it',
  async (path) => {
    const { headers } = await fetch(`${running.url}${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    });
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  },
);

test('CORS is off: a preflight is answered with 405 and nothing that lets a page in', async () => {
  const answer = await fetch(`${running.url}/v1/endpoints`, {
    method: 'OPTIONS',
    headers: { 'access-control-request-method': 'POST' },
  });
  expect(answer.status).toBe(405);
  expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
});

test('a request is a line at debug, with who asked and its id, and without what could be a secret', async () => {
  lines.length = 0;
  await fetch(`${running.url}/v1/turns?agent=jane&parent=${token}`, {
    headers: { authorization: `Bearer ${token}`, 'x-request-id': 'r-1' },
  });
  await expect.poll(() => lines.length).toBe(1);
  expect(lines).toEqual([
    {
      method: 'GET',
      path: '/v1/turns',
      status: 200,
      ms: 0,
      by: 'reader',
      requestId: 'r-1',
      message: 'request',
    },
  ]);
});
