import { createServer } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Telemetry } from '../../fixtures/telemetry.ts';
import { observeFetch, withTurn } from '../index.ts';

let telemetry: Telemetry;
beforeEach(() => {
  telemetry = new Telemetry().registerTracer().registerMeter();
});
afterEach(() => telemetry.shutdown());

const events = [
  'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":900,"cache_read_input_tokens":100}}}\n\n',
  'event: content_block_delta\ndata: {"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}\n\n',
  'event: message_stop\ndata: {"type":"message_stop"}\n\n',
];

it('an observed stream is a span with its model and usage; one that was cut counts as read twice', async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const isCut = ++asked === 1;
    response.write(events.slice(0, isCut ? 2 : 3).join(''), () =>
      isCut ? response.destroy() : response.end(),
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const ask = async (): Promise<string> => {
    const url = `http://127.0.0.1:${address.port}/v1/messages`;
    const body = JSON.stringify({ model: 'claude-x', stream: true, messages: [] });
    return (await observeFetch()(url, { method: 'POST', body })).text();
  };
  await withTurn({ agent: 'worker', provider: 'anthropic' }, async () => {
    await expect(ask()).rejects.toThrow();
    await ask();
  });
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  const [cut, whole, agent] = telemetry.spans;
  expect(telemetry.spans.map(({ name }) => name)).toEqual([
    'chat claude-x',
    'chat claude-x',
    'invoke_agent worker',
  ]);
  expect(cut?.attributes).toMatchObject({ 'turnwatch.outcome': 'failed', 'gen_ai.usage.input_tokens': 1000 });
  expect(cut?.attributes['error.type']).toEqual(expect.stringMatching(/^[A-Z_]+$/));
  expect(whole?.attributes['turnwatch.outcome']).toBe('completed');
  expect(whole?.parentSpanContext?.spanId).toBe(agent?.spanContext().spanId);
  expect(await telemetry.points('turnwatch.tokens.reread')).toEqual([
    { labels: { provider: 'anthropic', model: 'claude-x', outcome: 'failed' }, sum: 900 },
  ]);
});
