import { expect, test } from 'vitest';
import { readingText } from './reading-text.ts';

test.each([
  [
    'the slots of llama.cpp',
    'llama-cpp',
    { state: 'busy', queued: 2, slots: [{ id: 3, read: 512, generated: 0 }] },
    'gpu: llama-cpp, busy, 2 waiting\n  slot 3: 512 read, 0 generated\n',
  ],
  [
    'counters, which are no slots',
    'vllm',
    {
      state: 'busy',
      slots: [
        { id: 0, read: 7, generated: 9 },
        { id: 1, read: 21, generated: 0 },
      ],
    },
    'gpu: vllm, busy, 0 waiting\n  all requests: 7 read to their end, 9 generated, 21 steps\n',
  ],
  ['nothing to do', 'tgi', { state: 'idle' }, 'gpu: tgi, idle, 0 waiting\n'],
  [
    'no work is told',
    'ollama',
    { state: 'busy' },
    'gpu: ollama, a model is loaded; whether it works is not told\n',
  ],
  ['no model', 'lm-studio', { state: 'unloaded' }, 'gpu: lm-studio, no model is loaded\n'],
] as const)('%s', (_what, kind, reading, text) => {
  expect(readingText('gpu', reading, kind)).toBe(text);
});
