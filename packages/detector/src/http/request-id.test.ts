import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningDetector, runDetector } from '../testing/running-detector.ts';

let running: RunningDetector;
beforeAll(async () => {
  running = await runDetector();
});
afterAll(() => running.detector.stop());

const ask = (id?: string): Promise<Response> =>
  fetch(`${running.url}/v1/turns/nobody`, { headers: id === undefined ? {} : { 'x-request-id': id } });

test('a request that brings an id keeps it, in the header and in the problem', async () => {
  const answer = await ask('trace-7:a/b');
  expect(answer.headers.get('x-request-id')).toBe('trace-7:a/b');
  expect(await answer.json()).toMatchObject({
    requestId: 'trace-7:a/b',
    instance: 'urn:turnwatch:request:trace-7:a/b',
  });
});

test.each(['<script>', 'two words', `${'x'.repeat(129)}`, '{"log":"forged"}'])(
  'an id that is not sane is replaced: %s',
  async (id) => {
    const answer = await ask(id);
    expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{20}$/);
  },
);

test('each request without an id gets one of its own', async () => {
  const ids = await Promise.all(
    [ask(), ask()].map(async (answer) => (await answer).headers.get('x-request-id')),
  );
  expect(new Set(ids).size).toBe(2);
});
