import type { ForeignSpan } from '@turnwatch/plugin';
import { expect, test } from 'vitest';
import { genAiMapper } from './gen-ai.ts';

const span = (more: Partial<ForeignSpan> = {}): ForeignSpan => ({
  kind: 'span',
  name: 'invoke_agent worker',
  startMs: 1000,
  endMs: 61_000,
  status: 'unset',
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  attributes: {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'worker',
    'gen_ai.system': 'openai',
    'gen_ai.request.model': 'gpt',
  },
  resource: {},
  service: 'planner',
  ...more,
});

test('an agent span is a turn that began and ended; both are told when it ended', async () => {
  const signals = await genAiMapper.map([span()]);
  expect(signals.map(({ happening, wallMs }) => [happening, wallMs])).toEqual([
    [{ name: 'started' }, 61_000],
    [{ name: 'ended', outcome: 'completed' }, 61_000],
  ]);
  expect(signals[0]?.identity).toEqual({
    traceId: 'a'.repeat(32),
    startedAtMs: 1000,
    service: 'planner',
    agent: 'worker',
    provider: 'openai',
    model: 'gpt',
  });
});

test('a span that failed is a turn that failed, by status or by error.type', async () => {
  const byType = span({ attributes: { 'gen_ai.operation.name': 'invoke_agent', 'error.type': 'timeout' } });
  for (const failed of [span({ status: 'error' }), byType]) {
    const [, ended] = await genAiMapper.map([failed]);
    expect(ended?.happening).toMatchObject({ name: 'ended', outcome: 'failed' });
  }
});

test('other spans, logs and values that are no text give nothing', async () => {
  expect(await genAiMapper.map([span({ attributes: { 'gen_ai.operation.name': 'chat' } })])).toEqual([]);
  const log = { kind: 'log', eventName: 'x', timeMs: 0, attributes: {}, resource: {} } as const;
  expect(await genAiMapper.map([log])).toEqual([]);
  const [started] = await genAiMapper.map([
    span({ attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 7 } }),
  ]);
  expect(started?.identity).not.toHaveProperty('agent');
});
