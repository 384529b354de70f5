import OpenAI from 'openai';
import { afterEach, expect, test } from 'vitest';
import { responses } from './responses.ts';
import type { Script } from './script.ts';
import { ScriptedProvider } from './scripted-provider.ts';

let provider: ScriptedProvider | undefined;
afterEach(() => provider?.close());

async function start(script: Script): Promise<OpenAI> {
  const pace = (_: number, signal: AbortSignal): Promise<void> =>
    signal.aborted ? Promise.reject(signal.reason) : Promise.resolve();
  provider = await ScriptedProvider.start({ dialects: [responses], script: () => script, pace });
  return new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: 'none', maxRetries: 0 });
}

const ask = { model: 'm', input: 'say it' };
const thinksAndCalls: Script = [
  { do: 'reasoning', text: 'let me see' },
  { do: 'text', text: 'it rains' },
  { do: 'tool', name: 'search', namespace: 'web', args: { q: 'rain' }, id: 'call_a' },
];

test('the openai client puts a streamed response together: thoughts, text and a call', async () => {
  const openai = await start(thinksAndCalls);
  const whole = await openai.responses.stream(ask).finalResponse();
  expect(whole.output_text).toBe('it rains');
  expect(whole.output).toMatchObject([
    { type: 'reasoning', summary: [{ text: 'let me see' }] },
    { type: 'message', role: 'assistant', status: 'completed' },
    { type: 'function_call', call_id: 'call_a', name: 'search', namespace: 'web', arguments: '{"q":"rain"}' },
  ]);
  expect(whole.usage).toMatchObject({ input_tokens: 2, output_tokens: 6 });
  expect(provider?.requests).toMatchObject([{ dialect: 'responses', model: 'm', prompt: 'say it' }]);
});

test('an answer that is not streamed has all that was said', async () => {
  const openai = await start(thinksAndCalls);
  const whole = await openai.responses.create(ask);
  expect(whole.output_text).toBe('it rains');
  expect(whole.output).toHaveLength(3);
});

test('events are numbered; it begins when the script says so, long before its first content', async () => {
  const openai = await start([
    { do: 'begin' },
    { do: 'wait', ms: 3000, keepaliveEveryMs: 1000 },
    { do: 'text', text: 'a b' },
  ]);
  const raw = await (await openai.responses.create({ ...ask, stream: true }).asResponse()).text();
  expect(raw.match(/^: keep-alive$/gm)).toHaveLength(2);
  expect(raw.indexOf('response.created')).toBeLessThan(raw.indexOf('keep-alive'));
  const events = [...raw.matchAll(/^data: (.*)$/gm)].map(
    ([, data]) => JSON.parse(data ?? '') as { readonly type: string; readonly sequence_number: number },
  );
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
  expect(events.map(({ type }) => type)).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ]);
});

test('a list of messages as input: its last one is the prompt', async () => {
  const openai = await start([{ do: 'text', text: 'ok' }]);
  await openai.responses.create({
    model: 'm',
    input: [
      { role: 'developer', content: 'be brief' },
      { role: 'user', content: [{ type: 'input_text', text: 'the question' }] },
    ],
  });
  expect(provider?.requests[0]?.prompt).toBe('the question');
});
