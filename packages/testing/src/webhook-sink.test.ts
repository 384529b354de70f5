import { afterEach, expect, test } from 'vitest';
import { WebhookSink } from './webhook-sink.ts';

let sink: WebhookSink | undefined;
afterEach(() => sink?.close());

const post = (url: string, body: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url, { method: 'POST', body, headers: { 'webhook-id': 'evt_1' }, ...init });

test('it keeps what it gets byte for byte and accepts it', async () => {
  sink = await WebhookSink.start();
  const response = await post(sink.url, '{"type": "turn.stale"}');
  expect(response.status).toBe(202);
  expect(await sink.until(1)).toMatchObject([
    { id: 'evt_1', path: '/turnwatch', body: '{"type": "turn.stale"}' },
  ]);
  expect(sink.events).toEqual([{ type: 'turn.stale' }]);
});

test('it answers as it is told, and can leave a sender hanging', async () => {
  sink = await WebhookSink.start();
  sink.answer = 503;
  expect((await post(sink.url, '{}')).status).toBe(503);
  sink.answer = (response) => void response.writeHead(429, { 'retry-after': '2' }).end();
  expect((await post(sink.url, '{}')).headers.get('retry-after')).toBe('2');
  sink.answer = () => undefined;
  const abort = new AbortController();
  const hanging = post(sink.url, '{}', { signal: abort.signal });
  await sink.until(3);
  abort.abort();
  await expect(hanging).rejects.toThrow('aborted');
});

test('another one can take over its port', async () => {
  sink = await WebhookSink.start();
  const { port, url } = sink;
  await sink.close();
  await expect(post(url, '{}')).rejects.toThrow();
  sink = await WebhookSink.start(port);
  expect((await post(url, '{}')).status).toBe(202);
});
