import type { Profiler } from 'node:inspector/promises';
import { expect, test } from 'vitest';
import { ownTimeUs, ownUsOf } from './own-time.ts';

function node(id: number, url: string, ...children: number[]): Profiler.ProfileNode {
  return { id, children, callFrame: { functionName: '', scriptId: '', url, lineNumber: 0, columnNumber: 0 } };
}

test('a sample is of whoever is nearest on its stack, and what Node does is of its caller', () => {
  const nodes = [
    node(1, '', 2, 6),
    node(2, 'file:///app/node_modules/openai/client.mjs', 3),
    node(3, 'file:///app/node_modules/@traceloop/x/index.mjs', 4, 5),
    node(4, 'node:internal/async_hooks'),
    node(5, 'file:///app/node_modules/openai/stream.mjs'),
    node(6, 'file:///app/packages/instrumentation/src/turn.ts'),
  ];
  const profile = {
    nodes,
    startTime: 0,
    endTime: 0,
    samples: [1, 2, 3, 4, 5, 6],
    timeDeltas: [1, 2, 4, 8, 16, 32],
  };
  expect(ownUsOf(profile)).toBe(4 + 8 + 32);
});

test('where no instrumentation runs there is nothing of it', async () => {
  expect(await ownTimeUs(async () => void JSON.stringify({ any: 'work' }))).toBe(0);
});
