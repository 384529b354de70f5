import { expect, test } from 'vitest';
import { detectorUrl } from './detector-url.ts';
import { UsageError } from './usage-error.ts';

test('the flag, else the environment, else this host', () => {
  const environment = { TURNWATCH_DETECTOR_URL: 'http://a', TURNWATCH_ENDPOINT: 'http://b' };
  expect(detectorUrl('https://c/x', environment).href).toBe('https://c/x');
  expect(detectorUrl(undefined, environment).href).toBe('http://a/');
  expect(detectorUrl(undefined, { ...environment, TURNWATCH_DETECTOR_URL: '' }).href).toBe('http://b/');
  expect(detectorUrl(undefined, {}).href).toBe('http://127.0.0.1:4318/');
});

test.each([
  'http://u:geheim@h',
  'http://:geheim@h',
  'http://geheim@h',
  'htp://u:geheim@h',
  'u:geheim@h:4318',
])('%s is refused, and not repeated', (text) => {
  expect(() => detectorUrl(text, {})).toThrow(UsageError);
  expect(() => detectorUrl(text, {})).not.toThrow(/geheim/);
});
