import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import OpenAI6 from 'openai-6';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chat, delta } from '../../fixtures/stream/chat.ts';
import {
  type Answer,
  data,
  events,
  ModelServer,
  refusal,
  thenCut,
  thenSilence,
} from '../../fixtures/stream/model-server.ts';
import { listen, toldOf } from '../../fixtures/stream/told.ts';
import { withTurn } from '../index.ts';
import { observeFetch } from './observe-fetch.ts';
import { tapUndici } from './tap-undici.ts';

// Real clients, unmodified, against a real server. What each of them drops before the app sees it is seen here.

let server: ModelServer;
beforeAll(async () => {
  listen();
  server = await ModelServer.start();
});
afterAll(() => server.stop());

let turns = 0;

async function toldIn(work: () => Promise<unknown>): Promise<string[]> {
  const id = `t${++turns}`;
  await withTurn({ id }, work);
  return toldOf(id);
}

const message = [{ role: 'user' as const, content: 'say it' }];
const fetched = observeFetch();

describe.each([
  ['openai 7', OpenAI],
  ['openai 6', OpenAI6 as unknown as typeof OpenAI],
])('%s', (_, Client) => {
  const client = (maxRetries = 0): OpenAI =>
    new Client({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries, fetch: fetched });
  const stream = (signal?: AbortSignal) =>
    client().chat.completions.create({ model: 'm', messages: message, stream: true }, { signal });

  test('comments and empty deltas are seen, and the app reads what it would', async () => {
    server.answer = events(
      chat.comment,
      chat.comment,
      chat.role,
      chat.empty,
      delta({ content: 'it ' }),
      delta({ content: 'rains' }),
      chat.stop,
      chat.done,
    );
    let text = '';
    const told = await toldIn(async () => {
      for await (const chunk of await stream()) text += chunk.choices[0]?.delta.content ?? '';
    });
    expect(text).toBe('it rains');
    expect(told).toEqual([
      'request',
      'keepalive',
      'keepalive',
      'lifecycle role',
      'keepalive',
      'first text',
      'text',
      'lifecycle finish',
      'completed',
    ]);
  });

  test('reasoning and the arguments of a tool are told apart', async () => {
    const call = (args: string): object => ({ tool_calls: [{ index: 0, function: { arguments: args } }] });
    server.answer = events(
      delta({ role: 'assistant', reasoning_content: 'h' }),
      delta({
        tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '' } }],
      }),
      delta(call('{"a"')),
      delta(call(':1}')),
      delta({}, 'tool_calls'),
      chat.done,
    );
    const told = await toldIn(async () => {
      const { choices } = await client()
        .chat.completions.stream({ model: 'm', messages: message })
        .finalChatCompletion();
      expect(choices[0]?.message.tool_calls?.[0]).toMatchObject({
        function: { name: 'f', arguments: '{"a":1}' },
      });
    });
    expect(told).toEqual([
      'request',
      'first reasoning',
      'tool_args',
      'tool_args',
      'tool_args',
      'lifecycle finish',
      'completed',
    ]);
  });

  test.each([
    [500, 'failed retry in 0 s'],
    [429, 'failed retry in 0 s'],
  ])('after status %i its own retry is a request of its own', async (status, end) => {
    const answers: Answer[] = [
      refusal(status, { 'retry-after-ms': '1' }),
      events(delta({ content: 'x' }), chat.stop, chat.done),
    ];
    server.answer = (...all) => answers.shift()?.(...all);
    const told = await toldIn(async () => {
      const answer = client(1).chat.completions.create({ model: 'm', messages: message, stream: true });
      for await (const _ of await answer);
    });
    expect(told).toEqual(['request', end, 'request', 'first text', 'lifecycle finish', 'completed']);
  });

  test('a stream that is cut is a failed request, and the app has its error', async () => {
    server.answer = thenCut(delta({ content: 'x' }));
    const told = await toldIn(async () => {
      await expect(
        (async () => {
          for await (const _ of await stream());
        })(),
      ).rejects.toThrow();
    });
    expect(told).toEqual(['request', 'first text', 'failed retry in 60 s']);
  });

  test('an abort amid the stream is a cancelled request', async () => {
    server.answer = thenSilence(delta({ content: 'x' }));
    const controller = new AbortController();
    const told = await toldIn(async () => {
      for await (const _ of await stream(controller.signal)) controller.abort();
    });
    expect(told).toEqual(['request', 'first text', 'cancelled']);
  });

  test('an answer in one piece is a request that does not stream', async () => {
    server.answer = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"choices":[{"message":{"content":"it rains"}}]}');
    };
    const told = await toldIn(async () => {
      const { choices } = await client().chat.completions.create({ model: 'm', messages: message });
      expect(choices[0]?.message.content).toBe('it rains');
    });
    expect(told).toEqual(['whole request', 'completed']);
  });

  test('Responses: the stream begins silently, keep-alives are seen, its end is told', async () => {
    const response = { id: 'r', object: 'response', output: [], status: 'in_progress' };
    server.answer = events(
      data({ type: 'response.created', sequence_number: 0, response }),
      data({ type: 'response.in_progress', sequence_number: 1, response }),
      data({ type: 'keepalive', sequence_number: 2 }),
      data({ type: 'response.reasoning_summary_text.delta', sequence_number: 3, delta: 'h' }),
      data({ type: 'response.output_text.delta', sequence_number: 4, delta: 'x' }),
      data({
        type: 'response.completed',
        sequence_number: 5,
        response: { ...response, status: 'completed' },
      }),
    );
    const told = await toldIn(async () => {
      for await (const _ of await client().responses.create({ model: 'm', input: 'x', stream: true }));
    });
    expect(told).toEqual([
      'request',
      'lifecycle response.created',
      'lifecycle response.in_progress',
      'keepalive',
      'first reasoning',
      'text',
      'completed',
    ]);
  });
});

// openai 6 reads on after it.
test('openai 7: [DONE] ends the request, though the connection stays open', async () => {
  server.answer = thenSilence(delta({ content: 'x' }), chat.done);
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', fetch: fetched });
  const told = await toldIn(async () => {
    for await (const _ of await client.chat.completions.create({
      model: 'm',
      messages: message,
      stream: true,
    }));
  });
  expect(told).toEqual(['request', 'first text', 'completed']);
});

describe('@anthropic-ai/sdk', () => {
  const event = (payload: { type: string }): string => `event: ${payload.type}\n${data(payload)}`;
  const start = event({
    type: 'message_start',
    message: {
      id: 'm',
      type: 'message',
      role: 'assistant',
      content: [],
      model: 'm',
      usage: { input_tokens: 3, output_tokens: 1 },
    },
  } as { type: string });
  const block = (index: number, content_block: object): string =>
    event({ type: 'content_block_start', index, content_block } as { type: string });
  const piece = (index: number, delta: object): string =>
    event({ type: 'content_block_delta', index, delta } as { type: string });
  const ping = event({ type: 'ping' });
  const client = (): Anthropic =>
    new Anthropic({ baseURL: server.url, apiKey: 'none', maxRetries: 0, fetch: fetched });
  const ask = { model: 'm', max_tokens: 10, messages: message };

  test('pings are seen, which it never yields; thinking, text and tool arguments are told apart', async () => {
    server.answer = events(
      start,
      ping,
      block(0, { type: 'thinking', thinking: '', signature: '' }),
      piece(0, { type: 'thinking_delta', thinking: 'h' }),
      ping,
      block(1, { type: 'text', text: '' }),
      piece(1, { type: 'text_delta', text: 'x' }),
      block(2, { type: 'tool_use', id: 'c', name: 'f', input: {} }),
      piece(2, { type: 'input_json_delta', partial_json: '' }),
      piece(2, { type: 'input_json_delta', partial_json: '{"a":1}' }),
      event({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } } as {
        type: string;
      }),
      event({ type: 'message_stop' }),
    );
    const told = await toldIn(async () => {
      const { content } = await client().messages.stream(ask).finalMessage();
      expect(content[2]).toMatchObject({ name: 'f', input: { a: 1 } });
    });
    expect(told).toEqual([
      'request',
      'lifecycle message_start',
      'keepalive',
      'lifecycle content_block_start',
      'first reasoning',
      'keepalive',
      'lifecycle content_block_start',
      'text',
      'tool_args',
      'keepalive',
      'tool_args',
      'lifecycle finish',
      'completed',
    ]);
  });

  test('an overloaded provider amid the stream fails the request, and a retry makes sense', async () => {
    server.answer = events(
      start,
      event({ type: 'error', error: { type: 'overloaded_error', message: 'x' } } as { type: string }),
    );
    const told = await toldIn(async () => {
      await expect(
        (async () => {
          for await (const _ of await client().messages.create({ ...ask, stream: true }));
        })(),
      ).rejects.toThrow();
    });
    expect(told).toEqual(['request', 'lifecycle message_start', 'failed retry in 60 s']);
  });
});

describe('without a line in the agent', () => {
  const chunk = (part: object, rest: object = {}): object => ({
    candidates: [{ content: { role: 'model', parts: [part] }, index: 0, ...rest }],
  });

  async function tapped(work: () => Promise<unknown>): Promise<string[]> {
    const stop = tapUndici();
    try {
      return await toldIn(work);
    } finally {
      stop();
    }
  }

  test('@google/genai, which takes no fetch, is observed from below', async () => {
    server.answer = events(
      data(chunk({ text: 'h', thought: true })),
      data(chunk({ text: 'x' })),
      data(chunk({ text: 'y' }, { finishReason: 'STOP' })),
    );
    const genai = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: server.url } });
    const told = await tapped(async () => {
      let text = '';
      for await (const part of await genai.models.generateContentStream({
        model: 'gemini-3-flash',
        contents: 'x',
      }))
        text += part.text ?? '';
      expect(text).toBe('xy');
    });
    expect(told).toEqual(['request', 'first reasoning', 'text', 'text', 'lifecycle finish', 'completed']);
  });

  test('what observeFetch sees is not counted once more', async () => {
    server.answer = events(delta({ content: 'x' }), chat.stop, chat.done);
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', fetch: fetched });
    const told = await tapped(async () => {
      for await (const _ of await client.chat.completions.create({
        model: 'm',
        messages: message,
        stream: true,
      }));
    });
    expect(told).toEqual(['request', 'first text', 'lifecycle finish', 'completed']);
  });

  test('nothing is seen any more when the tap is off', async () => {
    server.answer = events(delta({ content: 'x' }), chat.stop, chat.done);
    await tapped(async () => undefined);
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none' });
    const told = await toldIn(async () => {
      for await (const _ of await client.chat.completions.create({
        model: 'm',
        messages: message,
        stream: true,
      }));
    });
    expect(told).toEqual([]);
  });
});
