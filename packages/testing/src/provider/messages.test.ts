import Anthropic from '@anthropic-ai/sdk';
import { afterEach, expect, test } from 'vitest';
import { messages } from './messages.ts';
import type { Script } from './script.ts';
import { ScriptedProvider } from './scripted-provider.ts';

let provider: ScriptedProvider | undefined;
afterEach(() => provider?.close());

async function start(script: Script): Promise<Anthropic> {
  const pace = (_: number, signal: AbortSignal): Promise<void> =>
    signal.aborted ? Promise.reject(signal.reason) : Promise.resolve();
  provider = await ScriptedProvider.start({ dialects: [messages], script: () => script, pace });
  return new Anthropic({ baseURL: provider.url, apiKey: 'none', maxRetries: 0 });
}

const ask = { model: 'm', max_tokens: 100, messages: [{ role: 'user' as const, content: 'say it' }] };
const thinksAndCalls: Script = [
  { do: 'reasoning', text: 'let me see' },
  { do: 'text', text: 'it rains' },
  { do: 'tool', name: 'search', args: { q: 'rain' }, id: 'toolu_a' },
];
const said = [
  { type: 'thinking', thinking: 'let me see' },
  { type: 'text', text: 'it rains' },
  { type: 'tool_use', id: 'toolu_a', name: 'search', input: { q: 'rain' } },
];

test("Anthropic's client puts a streamed message together: thoughts, text and a call", async () => {
  const anthropic = await start(thinksAndCalls);
  const message = await anthropic.messages.stream(ask).finalMessage();
  expect(message).toMatchObject({
    stop_reason: 'tool_use',
    content: said,
    usage: { input_tokens: 2, output_tokens: 6 },
  });
  expect(provider?.requests).toMatchObject([{ dialect: 'messages', model: 'm', prompt: 'say it' }]);
});

test('a message that is not streamed has all that was said', async () => {
  const anthropic = await start(thinksAndCalls);
  expect(await anthropic.messages.create(ask)).toMatchObject({ stop_reason: 'tool_use', content: said });
});

test('it begins long before its first content where the script says so, and pings meanwhile', async () => {
  const anthropic = await start([
    { do: 'begin' },
    { do: 'wait', ms: 3000, keepaliveEveryMs: 1000 },
    { do: 'text', text: 'a b' },
  ]);
  const raw = await (await anthropic.messages.create({ ...ask, stream: true }).asResponse()).text();
  expect([...raw.matchAll(/^event: (.*)$/gm)].map(([, type]) => type)).toEqual([
    'message_start',
    'ping',
    'ping',
    'content_block_start',
    'content_block_delta',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ]);
});

test('a refusal is an error of the API', async () => {
  const anthropic = await start([{ do: 'refuse', status: 529, type: 'overloaded_error' }]);
  await expect(anthropic.messages.create(ask)).rejects.toMatchObject({
    status: 529,
    error: { type: 'error', error: { type: 'overloaded_error' } },
  });
});
