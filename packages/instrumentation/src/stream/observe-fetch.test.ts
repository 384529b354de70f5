import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chat, delta } from '../../fixtures/stream/chat.ts';
import { events, ModelServer, refusal, thenCut, thenSilence } from '../../fixtures/stream/model-server.ts';
import { listen, toldOf } from '../../fixtures/stream/told.ts';
import { currentTurn, startTurn, withTurn } from '../index.ts';
import { observeFetch } from './observe-fetch.ts';
import type { StreamSummary } from './summary.ts';

let server: ModelServer;
beforeAll(async () => {
  listen();
  server = await ModelServer.start();
});
afterAll(() => server.stop());

const fetched = observeFetch();
const ask = { method: 'POST', body: '{"model":"m","stream":true}' };
const path = '/v1/chat/completions';
const words = [delta({ content: 'a' }), delta({ content: 'b' })];
const whole = [chat.comment, chat.role, ...words, chat.stop, chat.done];
const told = [
  'request',
  'keepalive',
  'lifecycle role',
  'first text',
  'text',
  'lifecycle finish',
  'completed',
];

let turns = 0;

/** What was told of a turn that does this. */
async function toldIn(work: () => Promise<unknown>): Promise<string[]> {
  const id = `t${++turns}`;
  await withTurn({ id }, work);
  return toldOf(id);
}

async function read(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of body ?? []) parts.push(part);
  return Buffer.concat(parts).toString();
}

describe('a streamed answer is observed and stays as it is, read by', () => {
  const readers: Readonly<Record<string, (response: Response) => Promise<string>>> = {
    'for await': (response) => read(response.body),
    'text()': (response) => response.text(),
    'arrayBuffer()': async (response) => Buffer.from(await response.arrayBuffer()).toString(),
    'blob()': async (response) => (await response.blob()).text(),
    'a reader': async (response) => {
      const reader = response.body?.getReader();
      const parts: Uint8Array[] = [];
      for (let next = await reader?.read(); next?.done === false; next = await reader?.read())
        parts.push(next.value);
      return Buffer.concat(parts).toString();
    },
    'a reader with its own buffer': async (response) => {
      const reader = response.body?.getReader({ mode: 'byob' });
      const parts: Uint8Array[] = [];
      for (;;) {
        const next = await reader?.read(new Uint8Array(50));
        if (next === undefined || next.done) return Buffer.concat(parts).toString();
        parts.push(next.value);
      }
    },
    'a pipe': async (response) => {
      let text = '';
      for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += part;
      return text;
    },
    'both sides of a tee': async (response) => {
      const [left, right] = response.body?.tee() ?? [];
      const [one, two] = await Promise.all([read(left ?? null), read(right ?? null)]);
      expect(one).toBe(two);
      return one;
    },
    'its clone and itself': async (response) => {
      const clone = response.clone();
      expect(clone.url).toBe(response.url);
      const [one, two] = await Promise.all([clone.text(), response.text()]);
      expect(one).toBe(two);
      return one;
    },
  };

  test.each(Object.entries(readers))('%s', async (_, take) => {
    server.answer = events(...whole);
    expect(
      await toldIn(async () => {
        const response = await fetched(server.url + path, ask);
        expect(await take(response)).toBe(whole.join(''));
        expect(response.bodyUsed).toBe(true);
      }),
    ).toEqual(told);
  });
});

test('a response is the same to look at', async () => {
  server.answer = (response) => {
    response.writeHead(
      201,
      'Made',
      [
        ['content-type', 'text/event-stream'],
        ['x-request-id', 'r1'],
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
      ].flat(),
    );
    response.end();
  };
  const [plain, observed] = [
    await fetch(server.url + path, ask),
    await withTurn({}, () => fetched(server.url + path, ask)),
  ];
  expect(observed).toBeInstanceOf(Response);
  for (const key of ['status', 'statusText', 'ok', 'url', 'redirected', 'type', 'bodyUsed'] as const)
    expect(observed[key], key).toBe(plain[key]);
  expect([...observed.headers].filter(([name]) => name !== 'date')).toEqual(
    [...plain.headers].filter(([name]) => name !== 'date'),
  );
  expect(observed.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  await Promise.all([plain.text(), observed.text()]);
});

test('an answer that is not streamed ends its request when it is read', async () => {
  server.answer = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"id":"c","usage":{"prompt_tokens":3,"completion_tokens":4}}');
  };
  let summary: StreamSummary | undefined;
  const observed = observeFetch(fetch, {
    onEnd: (it) => {
      summary = it;
    },
  });
  expect(
    await toldIn(async () => {
      const response = await observed(server.url + path, { ...ask, body: '{"stream":false}' });
      expect(summary).toBeUndefined();
      expect(await response.json()).toMatchObject({ id: 'c' });
    }),
  ).toEqual(['whole request', 'completed']);
  expect(summary).toMatchObject({ status: 200, usage: { inputTokens: 3, outputTokens: 4 } });
});

test.each([
  [500, {}, 'failed retry in 60 s'],
  [429, { 'retry-after': '7' }, 'failed retry in 7 s'],
  [400, {}, 'failed'],
])('status %i fails the request, and its body can be read', async (status, headers, end) => {
  server.answer = refusal(status, headers);
  expect(
    await toldIn(async () => {
      const response = await fetched(server.url + path, ask);
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject({ error: { message: 'as told' } });
    }),
  ).toEqual(['request', end]);
});

test('a stream that is cut rejects as without, and is a failed request', async () => {
  server.answer = thenCut(...words);
  const plain = await fetch(server.url + path, ask).then(({ body }) => read(body).catch((error) => error));
  expect(
    await toldIn(async () => {
      const { body } = await fetched(server.url + path, ask);
      const error = await read(body).catch((reason) => reason);
      expect([error.name, error.message]).toEqual([plain.name, plain.message]);
    }),
  ).toEqual(['request', 'first text', 'text', 'failed retry in 60 s']);
});

test('a refused connection rejects as without, and is a failed request', async () => {
  const gone = await ModelServer.start();
  const url = gone.url + path;
  await gone.stop();
  expect(
    await toldIn(() => expect(fetched(url, ask)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })),
  ).toEqual(['request', 'failed retry in 60 s']);
});

describe('a client that has enough', () => {
  test('by its signal, before the headers', async () => {
    server.answer = () => undefined;
    const controller = new AbortController();
    expect(
      await toldIn(async () => {
        const answer = fetched(server.url + path, { ...ask, signal: controller.signal });
        controller.abort();
        await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
      }),
    ).toEqual(['request', 'cancelled']);
  });

  test('by its signal, amid the stream', async () => {
    server.answer = thenSilence(...words);
    const controller = new AbortController();
    expect(
      await toldIn(async () => {
        const { body } = await fetched(server.url + path, { ...ask, signal: controller.signal });
        const reader = body?.getReader();
        await reader?.read();
        controller.abort();
        await expect(
          (async () => {
            for (;;) await reader?.read();
          })(),
        ).rejects.toMatchObject({ name: 'AbortError' });
      }),
    ).toContain('cancelled');
  });

  test('by its signal, and never reads again', async () => {
    server.answer = thenSilence(...words);
    const controller = new AbortController();
    const heard = await toldIn(async () => {
      const { body } = await fetched(server.url + path, { ...ask, signal: controller.signal });
      const reader = body?.getReader();
      await reader?.read();
      controller.abort();
      await expect(reader?.closed).rejects.toMatchObject({ name: 'AbortError' });
    });
    expect(heard.at(-1)).toBe('cancelled');
  });

  test('by leaving its loop, which closes the connection', async () => {
    const closed = new Promise<void>((resolve) => {
      server.answer = (response, ...rest) => {
        response.once('close', resolve);
        return thenSilence(...words)(response, ...rest);
      };
    });
    const heard = await toldIn(async () => {
      const { body } = await fetched(server.url + path, ask);
      for await (const _ of body ?? []) break;
      await closed;
    });
    expect(heard.at(-1)).toBe('cancelled');
  });
});

describe('what is not to be observed passes through untouched', () => {
  const response = new Response('x');
  const inner = async (): Promise<Response> => response;

  test('outside of any turn', async () => {
    expect(await observeFetch(inner)(server.url + path, ask)).toBe(response);
  });

  test('after the end of the turn', async () => {
    await withTurn({ id: 'over' }, async (turn) => {
      turn.end();
      expect(await observeFetch(inner)(server.url + path, ask)).toBe(response);
    });
    expect(toldOf('over')).toEqual([]);
  });

  test.each([
    ['/v1/embeddings', ask],
    ['/v1/models', {}],
    [path, { method: 'GET' }],
  ])('%s %j', async (other, init) => {
    expect(
      await toldIn(async () => {
        expect(await observeFetch(inner)(server.url + other, init)).toBe(response);
      }),
    ).toEqual([]);
  });

  test('what `match` does not want', async () => {
    const match = (): boolean => false;
    expect(
      await toldIn(async () => {
        expect(await observeFetch(inner, { match })(server.url + path, ask)).toBe(response);
      }),
    ).toEqual([]);
  });

  test('an address that is none', async () => {
    const calls: unknown[] = [];
    const odd = observeFetch(async (input) => {
      calls.push(input);
      return response;
    });
    await withTurn({}, () => odd('/relative', ask));
    expect(calls).toEqual(['/relative']);
  });
});

test('`match` names a dialect for a path that nobody knows', async () => {
  server.answer = events(
    'data: {"type":"content_block_delta","delta":{"thinking":"x"}}\n\n',
    'data: {"type":"message_stop"}\n\n',
  );
  const odd = observeFetch(fetch, {
    match: ({ pathname }) => (pathname === '/mine' ? 'anthropic' : undefined),
  });
  expect(await toldIn(async () => (await odd(`${server.url}/mine`, ask)).text())).toEqual([
    'request',
    'first reasoning',
    'completed',
  ]);
});

test('a request that is observed twice is counted once', async () => {
  server.answer = events(...whole);
  expect(await toldIn(async () => (await observeFetch(fetched)(server.url + path, ask)).text())).toEqual(
    told,
  );
});

test('a Request is observed as an address is, and an explicit turn wins', async () => {
  server.answer = events(...whole);
  const turn = startTurn({ id: 'explicit' });
  const observed = observeFetch(fetch, { turn: () => turn });
  expect(currentTurn()).toBeUndefined();
  await (await observed(new Request(server.url + path, ask))).text();
  turn.end();
  expect(toldOf('explicit').slice(1)).toEqual(told.slice(1));
});

test('`traceparent` is sent only when wanted, and never over one that is there', async () => {
  server.answer = events(...whole);
  const sent = async (propagate: boolean, headers = {}): Promise<[unknown, string]> => {
    const turn = startTurn();
    const observed = observeFetch(fetch, { propagate, turn: () => turn });
    await (await observed(server.url + path, { ...ask, headers })).text();
    turn.end();
    return [server.headers.at(-1)?.traceparent, turn.traceparent];
  };
  expect((await sent(false))[0]).toBeUndefined();
  const [header, own] = await sent(true);
  expect(header).toBe(own);
  expect((await sent(true, { traceparent: 'theirs', 'x-a': 'b' }))[0]).toBe('theirs');
  expect(server.headers.at(-1)?.['x-a']).toBe('b');
});

test('the idle time-out ends a silent stream, also outside of any turn', async () => {
  server.answer = thenSilence(...words);
  const observed = observeFetch(fetch, { idleTimeoutMs: 20 });
  const silent = async (): Promise<void> => {
    const { body } = await observed(server.url + path, ask);
    await expect(read(body)).rejects.toMatchObject({ name: 'StreamIdleError', lastKind: 'content' });
  };
  await silent();
  expect(await toldIn(silent)).toEqual(['request', 'first text', 'text', 'failed retry in 60 s']);
  expect(() => observeFetch(fetch, { idleTimeoutMs: -1 })).toThrow(RangeError);
});

test('a body that is a stream of Node is observed as it arrives', async () => {
  const body = new PassThrough();
  const inner = (async () => ({
    status: 200,
    headers: new Headers({ 'content-type': 'text/event-stream' }),
    body,
  })) as unknown as typeof fetch;
  const heard = await toldIn(async () => {
    const response = await observeFetch(inner)(server.url + path, ask);
    for (const piece of whole) body.write(piece);
    body.end();
    let text = '';
    for await (const part of response.body ?? []) text += Buffer.from(part).toString();
    expect(text).toBe(whole.join(''));
  });
  expect(heard).toEqual(told);
});
