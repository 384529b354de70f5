import OpenAI, { APIConnectionError, RateLimitError } from 'openai';
import { afterEach, expect, test } from 'vitest';
import type { Pace } from './play.ts';
import { inOrder, type Script, wordsOf } from './script.ts';
import { type ProviderOptions, ScriptedProvider } from './scripted-provider.ts';

let provider: ScriptedProvider | undefined;
afterEach(() => provider?.close());

/** No time passes; what was waited for is kept. */
const waitedMs: number[] = [];
const noTime: Pace = (ms, signal) => {
  waitedMs.push(ms);
  return signal.aborted ? Promise.reject(signal.reason) : Promise.resolve();
};

async function start(script: ProviderOptions['script'], pace: Pace = noTime): Promise<OpenAI> {
  waitedMs.length = 0;
  provider = await ScriptedProvider.start({ script, pace });
  return client(provider.url);
}

function client(url: string, fetched: typeof fetch = fetch): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0, fetch: fetched });
}

const ask = { model: 'm', messages: [{ role: 'user' as const, content: 'say it' }] };

test('the openai client reads a streamed answer word by word, with its usage', async () => {
  const openai = await start(() => [
    { do: 'wait', ms: 700 },
    { do: 'text', text: 'one two  three', gapMs: 40 },
  ]);
  const deltas: string[] = [];
  let last: OpenAI.ChatCompletionChunk | undefined;
  for await (const chunk of await openai.chat.completions.create({
    ...ask,
    stream: true,
    stream_options: { include_usage: true },
  })) {
    const content = chunk.choices[0]?.delta.content;
    if (content) deltas.push(content);
    last = chunk;
  }
  expect(deltas.join('')).toBe('one two  three');
  expect(deltas).toHaveLength(3);
  expect(last?.usage).toEqual({ prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 });
  expect(waitedMs).toEqual([700, 40, 40]);
  expect(provider?.requests).toMatchObject([{ model: 'm', streaming: true, prompt: 'say it' }]);
});

test('an answer that is not streamed has all that was said', async () => {
  const openai = await start(() => [
    { do: 'reasoning', text: 'let me see' },
    { do: 'text', text: 'it rains' },
  ]);
  const { choices } = await openai.chat.completions.create(ask);
  expect(choices[0]).toMatchObject({
    finish_reason: 'stop',
    message: { content: 'it rains', reasoning_content: 'let me see' },
  });
});

test('the openai client puts a streamed tool call together', async () => {
  const openai = await start(() => [
    { do: 'tool', name: 'search', args: { q: 'rain' }, id: 'call_a' },
    { do: 'tool', name: 'build' },
  ]);
  const { choices } = await openai.chat.completions.stream(ask).finalChatCompletion();
  expect(choices[0]?.finish_reason).toBe('tool_calls');
  expect(choices[0]?.message.tool_calls).toMatchObject([
    { id: 'call_a', function: { name: 'search', arguments: '{"q":"rain"}' } },
    { function: { name: 'build', arguments: '{}' } },
  ]);
});

test('keep-alives are SSE comments between the silence, which the client drops', async () => {
  let raw = '';
  await start(() => [
    { do: 'wait', ms: 3000, keepaliveEveryMs: 1000 },
    { do: 'text', text: 'done' },
  ]);
  const tapped: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const [mine, theirs] = response.body?.tee() ?? [];
    void new Response(mine ?? null).text().then((text) => {
      raw = text;
    });
    return new Response(theirs ?? null, response);
  };
  const seen: unknown[] = [];
  for await (const chunk of await client(provider?.url ?? '', tapped).chat.completions.create({
    ...ask,
    stream: true,
  }))
    seen.push(chunk.choices[0]?.delta);
  // Two inside the three seconds; the third instant is the content's.
  expect(raw.match(/^: keep-alive$/gm)).toHaveLength(2);
  expect(raw.indexOf('keep-alive')).toBeLessThan(raw.indexOf('data:'));
  expect(seen).toEqual([{ role: 'assistant', content: '' }, { content: 'done' }, {}]);
});

test('a stalled answer stays open until the client aborts, and the provider goes on with others', async () => {
  const openai = await start(
    inOrder([{ do: 'text', text: 'half of' }, { do: 'stall' }], [{ do: 'text', text: 'whole' }]),
  );
  const abort = new AbortController();
  const stream = await openai.chat.completions.create({ ...ask, stream: true }, { signal: abort.signal });
  const words: string[] = [];
  for await (const chunk of stream) {
    words.push(chunk.choices[0]?.delta.content ?? '');
    if (words.join('') === 'half of') break;
  }
  expect(words.join('')).toBe('half of');
  expect((await openai.chat.completions.create(ask)).choices[0]?.message.content).toBe('whole');
});

test('a dropped connection is an error in the middle of the stream', async () => {
  const openai = await start(() => [{ do: 'text', text: 'cut' }, { do: 'drop' }]);
  const read = async (): Promise<void> => {
    for await (const _ of await openai.chat.completions.create({ ...ask, stream: true }));
  };
  await expect(read()).rejects.toThrow();
});

test('a refusal has its status, and tells when to come again', async () => {
  const openai = await start(() => [{ do: 'refuse', status: 429, type: 'rate_limit', retryAfterS: 3 }]);
  const error = await openai.chat.completions.create(ask).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(RateLimitError);
  expect((error as RateLimitError).headers?.get('retry-after')).toBe('3');
});

test('inOrder repeats its last script', () => {
  const [one, two]: Script[] = [[{ do: 'text', text: '1' }], [{ do: 'text', text: '2' }]];
  const next = inOrder(one ?? [], two ?? []);
  expect([next(), next(), next()]).toEqual([one, two, two]);
});

test('the words of a text add up to it', () => {
  for (const text of ['', 'a', ' a  b\nc ', 'one two'])
    expect(wordsOf(text).join('').trim()).toBe(text.trim());
  expect(wordsOf('a b c')).toHaveLength(3);
});

test('other paths and bodies that are no JSON are answered, not hung', async () => {
  await start(() => []);
  const url = provider?.url ?? '';
  expect((await fetch(`${url}/v1/elsewhere`)).status).toBe(404);
  expect((await fetch(`${url}/v1/models`)).status).toBe(200);
  const bad = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: '{' });
  expect([bad.status, await bad.json()]).toMatchObject([400, { error: { type: 'invalid_request_error' } }]);
});

test('a closed provider refuses connections', async () => {
  const openai = await start(() => []);
  await provider?.close();
  provider = undefined;
  await expect(openai.chat.completions.create(ask)).rejects.toBeInstanceOf(APIConnectionError);
});
