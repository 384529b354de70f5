import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isMissing } from './program.ts';
import { configs, RunningCollector } from './running-collector.ts';

// A word that is in every place where prompts, arguments and answers travel is neither in the files of the queue nor in
// what the Collector sends on; ids and names beside it are.

const canary = 'XyzzyPromptCanary';
const marker = 'a-turn-of-the-test';

/** Which of the two words is in it; it is too long, and no text, to be shown. */
function whatHas(bytes = ''): string {
  const words = { marker, canary, base64: Buffer.from(canary).toString('base64') };
  return Object.entries(words)
    .flatMap(([name, word]) => (bytes.includes(word) ? [name] : []))
    .join(' and ');
}

const text = (word: string) => ({ stringValue: word });
const attribute = (key: string, value: object = text(canary)) => ({ key, value });
const contents = [
  'gen_ai.input.messages',
  'gen_ai.output.messages',
  'gen_ai.system_instructions',
  'gen_ai.prompt',
  'gen_ai.prompt.0.content',
  'gen_ai.completion',
  'gen_ai.completion.0.content',
  'gen_ai.tool.call.arguments',
  'gen_ai.tool.call.result',
  'gen_ai.tool.definitions',
  'gen_ai.tool.description',
  'gen_ai.agent.description',
  'prompt',
  'response',
  'arguments',
  'output',
  'tool_parameters',
  'tool_input',
  'input.value',
  'output.value',
  'llm.input_messages.0.message.content',
  'traceloop.entity.input',
  'traceloop.entity.output',
  'traceloop.association.properties.user',
  'ai.prompt',
  'ai.prompt.messages',
  'ai.response.text',
  'ai.toolCall.args',
  'ai.toolCall.result',
  'error.message',
  'data',
  'comments',
  'exception.message',
  'exception.stacktrace',
  'process.command_line',
  'process.command_args',
].map((key) => attribute(key));
const nested = [
  attribute('a.list', { arrayValue: { values: [text(canary), { kvlistValue: { values: contents } }] } }),
  attribute('a.map', { kvlistValue: { values: contents } }),
  attribute('error.message', { kvlistValue: { values: contents } }),
  attribute('some.bytes', { bytesValue: Buffer.from(canary).toString('base64') }),
];
const all = [attribute('turnwatch.turn.id', text(marker)), ...contents, ...nested];
const resource = { attributes: [attribute('service.name', text('a-service')), ...contents] };
const scope = { name: 'a.scope', attributes: contents };

const logs = {
  resourceLogs: [
    {
      resource,
      scopeLogs: [
        {
          scope,
          logRecords: [
            { eventName: 'turnwatch.turn.heartbeat', body: text(canary), attributes: all },
            { eventName: 'claude_code.user_prompt', body: text(`two\nlines of ${canary}`), attributes: all },
            {
              eventName: 'gen_ai.client.inference.operation.details',
              body: { kvlistValue: { values: [...contents, ...nested] } },
              attributes: all,
            },
            { body: { arrayValue: { values: [text(canary), { kvlistValue: { values: contents } }] } } },
            { body: { bytesValue: Buffer.from(canary).toString('base64') } },
          ],
        },
      ],
    },
  ],
};
const traces = {
  resourceSpans: [
    {
      resource,
      scopeSpans: [
        {
          scope,
          spans: [
            {
              traceId: 'a'.repeat(32),
              spanId: 'b'.repeat(16),
              name: 'invoke_agent',
              attributes: all,
              events: [{ name: 'gen_ai.content.prompt', attributes: contents }],
            },
          ],
        },
      ],
    },
  ],
};

describe.skipIf(isMissing('otelcol'))('what the Collector keeps and sends on', { timeout: 60_000 }, () => {
  let server: Server;
  let collector: RunningCollector;
  /** By signal, the bodies that came. */
  const came = new Map<string, string>();
  let status = 503;
  beforeEach(async () => {
    came.clear();
    status = 503;
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const path = String(request.url);
      came.set(path, `${came.get(path) ?? ''}${Buffer.concat(chunks).toString('latin1')}`);
      response.writeHead(status).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    collector = await RunningCollector.start({
      config: configs.oneHost,
      environment: { TURNWATCH_DETECTOR_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    });
  });
  afterEach(async () => {
    await collector?.end();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  test('has no contents', async () => {
    for (const [path, body] of Object.entries({ '/v1/logs': logs, '/v1/traces': traces })) {
      const response = await fetch(`${collector.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(response.status).toBe(200);
    }
    // It is refused and tried again: what is on disk is what waits.
    while (!came.has('/v1/logs') || !came.has('/v1/traces')) await delay(20);
    expect(whatHas(collector.onDisk())).toBe('marker');
    await collector.program.end('SIGKILL');
    expect(whatHas(collector.onDisk())).toBe('marker');

    came.clear();
    status = 200;
    await collector.program.start();
    while (!came.has('/v1/logs')) await delay(20);
    for (const [path, body] of came) {
      expect(whatHas(body), path).toBe('marker');
      expect(body.includes('a-service'), path).toBe(true);
    }
    expect(came.get('/v1/logs')?.includes('claude_code.user_prompt')).toBe(true);
  });

  test('spans as well', async () => {
    status = 200;
    await fetch(`${collector.url}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(traces),
    });
    while (!came.has('/v1/traces')) await delay(20);
    expect(whatHas(came.get('/v1/traces'))).toBe('marker');
  });
});
