import { expect, it } from 'vitest';
import { providerOf } from './provider-of-host.ts';

it.each([
  ['https://api.openai.com', 'openai'],
  ['https://eu.api.openai.com', 'openai'],
  ['https://mine.openai.azure.com', 'azure.ai.openai'],
  ['https://api.anthropic.com', 'anthropic'],
  ['https://generativelanguage.googleapis.com', 'gcp.gemini'],
  ['https://europe-west1-aiplatform.googleapis.com', 'gcp.vertex_ai'],
  ['https://api.x.ai', 'x_ai'],
  ['https://notopenai.com', 'notopenai.com'],
  ['https://max.ai', 'max.ai'],
  ['http://127.0.0.1:8080', '127.0.0.1:8080'],
  ['no url', undefined],
  [undefined, undefined],
])('%s is %s', (origin, provider) => {
  expect(providerOf(origin)).toBe(provider);
});
