import type { ForeignSpan, MappedSignal, SignalMapper } from '@turnwatch/plugin';
import { TestHost } from '@turnwatch/plugin/testing';
import { expect, test } from 'vitest';
import { recorded, told } from '../fixtures/recorded.ts';
import { aiSdk } from './ai-sdk.ts';
import { genAi } from './gen-ai.ts';
import { GenAiEventsMapper } from './gen-ai-events.ts';
import { opencode } from './opencode.ts';
import { openInference } from './openinference.ts';
import { openLlmetry } from './openllmetry.ts';

type SpanPlugin = typeof genAi;
const made = (plugin: SpanPlugin): SignalMapper => plugin.create(undefined, new TestHost()) as SignalMapper;
const span = (attributes: ForeignSpan['attributes'], more: Partial<ForeignSpan> = {}): ForeignSpan => ({
  kind: 'span',
  name: 'a span',
  startMs: 1000,
  endMs: 61_000,
  status: 'unset',
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  attributes,
  resource: {},
  service: 'planner',
  ...more,
});
const child = { parentSpanId: 'd'.repeat(16) };
const turn = `${'a'.repeat(32)}-${'b'.repeat(16)}`;
const mapped = async (plugin: SpanPlugin, one: ForeignSpan): Promise<readonly MappedSignal[]> =>
  made(plugin).map([one]);

test.each<[string, SpanPlugin, ForeignSpan, object]>([
  [
    'GenAI, old names',
    genAi,
    span(
      { 'gen_ai.operation.name': 'invoke_workflow', 'gen_ai.workflow.name': 'w', 'gen_ai.system': 'openai' },
      child,
    ),
    { agent: 'w', provider: 'openai' },
  ],
  [
    'GenAI, new names',
    genAi,
    span(
      { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'w', 'gen_ai.provider.name': 'openai' },
      child,
    ),
    { agent: 'w', provider: 'openai' },
  ],
  [
    'a request alone',
    genAi,
    span({ 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' }),
    { model: 'm' },
  ],
  [
    'AI SDK before 7',
    aiSdk,
    span(
      { 'ai.operationId': 'ai.streamText', 'ai.model.id': 'm', 'ai.telemetry.functionId': 'f' },
      { scope: 'ai', ...child },
    ),
    { agent: 'f', model: 'm' },
  ],
  [
    'OpenInference',
    openInference,
    span({ 'openinference.span.kind': 'AGENT', 'agent.name': 'w', 'session.id': 's' }, child),
    { agent: 'w', conversationId: 's' },
  ],
  ['LangGraph’s root', openInference, span({ 'openinference.span.kind': 'CHAIN' }), {}],
  [
    'OpenLLMetry',
    openLlmetry,
    span({ 'traceloop.span.kind': 'workflow', 'traceloop.entity.name': 'w' }),
    { agent: 'w' },
  ],
  [
    'opencode',
    opencode,
    span({ 'ai.operationId': 'ai.streamText', 'session.id': 's' }, { service: 'opencode', scope: 'ai' }),
    { agent: 'opencode', conversationId: 's' },
  ],
])('%s: a turn that is told with its end', async (_, plugin, one, identity) => {
  const signals = await mapped(plugin, one);
  expect(signals.map(({ turn: id, happening, wallMs }) => [id, happening, wallMs])).toEqual([
    [turn, { name: 'started' }, 61_000],
    [turn, { name: 'ended', outcome: 'completed' }, 61_000],
  ]);
  expect(signals[0]?.identity).toEqual({
    traceId: 'a'.repeat(32),
    startedAtMs: 1000,
    service: one.service,
    ...identity,
  });
});

test.each<[string, SpanPlugin, ForeignSpan]>([
  ['a request below something', genAi, span({ 'gen_ai.operation.name': 'chat' }, child)],
  ['a step', genAi, span({ 'gen_ai.operation.name': 'agent_step' })],
  [
    'our own',
    genAi,
    span({ 'gen_ai.operation.name': 'invoke_agent' }, { scope: '@turnwatch/instrumentation' }),
  ],
  [
    'one of a client whose logs are read',
    genAi,
    span({ 'gen_ai.operation.name': 'invoke_agent' }, { service: 'qwen-code' }),
  ],
  ['a request of the AI SDK', aiSdk, span({ 'ai.operationId': 'ai.streamText.doStream' }, { scope: 'ai' })],
  ['a tool', openInference, span({ 'openinference.span.kind': 'TOOL' })],
  ['a chain below something', openInference, span({ 'openinference.span.kind': 'CHAIN' }, child)],
  ['a task', openLlmetry, span({ 'traceloop.span.kind': 'task' })],
  ['somebody else’s AI SDK', opencode, span({ 'ai.operationId': 'ai.streamText' }, { scope: 'ai' })],
])('%s is no turn', async (_, plugin, one) => {
  expect(await mapped(plugin, one)).toEqual([]);
});

test('what failed by status or by error.type has failed', async () => {
  const attributes = { 'gen_ai.operation.name': 'invoke_agent' };
  for (const one of [span(attributes, { status: 'error' }), span({ ...attributes, 'error.type': 'timeout' })])
    expect((await mapped(genAi, one))[1]?.happening).toMatchObject({ name: 'ended', outcome: 'failed' });
});

test('mappers that read the same span name the turn alike', async () => {
  const [all] = recorded('ai-sdk-healthy-tool').slice(-1);
  const ofScope = (all ?? []).filter((record) => record.kind === 'span' && record.scope === 'gen_ai');
  const names = [await told(made(genAi), [ofScope]), await told(made(aiSdk), [ofScope])];
  expect(names[0]).toEqual(names[1]);
  expect(Object.values(names[0] ?? {})).toEqual([['started', 'ended completed']]);
});

test('events of a request: live from its first message on, and its span ends the same turn', async () => {
  const mapper = new GenAiEventsMapper();
  const event = (eventName: string) =>
    ({
      kind: 'log',
      eventName,
      timeMs: 1000,
      traceId: 'a'.repeat(32),
      spanId: 'b'.repeat(16),
      attributes: {},
      resource: {},
    }) as const;
  const records = [
    event('gen_ai.system.message'),
    event('gen_ai.user.message'),
    event('gen_ai.choice'),
    event('gen_ai.choice'),
    span({ 'gen_ai.operation.name': 'chat' }),
    span({ 'gen_ai.operation.name': 'chat' }, { spanId: 'e'.repeat(16) }),
  ];
  expect(await told(mapper, [records])).toEqual({
    [turn]: ['started', 'request_started r1', 'request_ended r1 completed', 'idle', 'ended completed'],
  });
});
