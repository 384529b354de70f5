import { ApiError, GoogleGenAI } from '@google/genai';
import { afterEach, expect, test } from 'vitest';
import { generateContent } from './generate-content.ts';
import type { Script } from './script.ts';
import { ScriptedProvider } from './scripted-provider.ts';

let provider: ScriptedProvider | undefined;
afterEach(() => provider?.close());

async function start(script: Script): Promise<GoogleGenAI> {
  const pace = (_: number, signal: AbortSignal): Promise<void> =>
    signal.aborted ? Promise.reject(signal.reason) : Promise.resolve();
  provider = await ScriptedProvider.start({ dialects: [generateContent], script: () => script, pace });
  return new GoogleGenAI({ apiKey: 'none', vertexai: false, httpOptions: { baseUrl: provider.url } });
}

const ask = { model: 'm-1', contents: 'say it' };
const thinksAndCalls: Script = [
  { do: 'reasoning', text: 'let me see' },
  { do: 'text', text: 'it rains' },
  { do: 'tool', name: 'search', args: { q: 'rain' }, id: 'call_a' },
];

test("Google's client reads a streamed answer: thoughts, text, a call and how it ended", async () => {
  const google = await start(thinksAndCalls);
  let text = '';
  let thoughts = '';
  const calls: unknown[] = [];
  let last: unknown;
  for await (const chunk of await google.models.generateContentStream(ask)) {
    for (const part of chunk.candidates?.[0]?.content?.parts ?? []) {
      if (part.thought === true) thoughts += part.text;
      else text += part.text ?? '';
      if (part.functionCall !== undefined) calls.push(part.functionCall);
    }
    last = [chunk.candidates?.[0]?.finishReason, chunk.usageMetadata?.candidatesTokenCount];
  }
  expect([thoughts, text]).toEqual(['let me see', 'it rains']);
  expect(calls).toMatchObject([{ name: 'search', args: { q: 'rain' } }]);
  expect(last).toEqual(['STOP', 6]);
  expect(provider?.requests).toMatchObject([
    { dialect: 'generate_content', model: 'm-1', streaming: true, prompt: 'say it' },
  ]);
});

test('an answer that is not streamed has all that was said', async () => {
  const google = await start(thinksAndCalls);
  const whole = await google.models.generateContent(ask);
  expect(whole.candidates?.[0]?.content?.parts).toHaveLength(6);
  expect(whole.functionCalls).toMatchObject([{ name: 'search' }]);
  expect(provider?.requests).toMatchObject([{ streaming: false }]);
});

test('a refusal is an error of the API', async () => {
  const google = await start([{ do: 'refuse', status: 429, type: 'resource_exhausted' }]);
  const failure: unknown = await google.models.generateContent(ask).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ApiError);
  expect(failure).toMatchObject({ status: 429 });
  expect(String(failure)).toContain('RESOURCE_EXHAUSTED');
});
