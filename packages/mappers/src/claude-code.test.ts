import type { ForeignLog, ForeignSpan } from '@turnwatch/plugin';
import { expect, test } from 'vitest';
import { told } from '../fixtures/recorded.ts';
import { ClaudeCodeMapper } from './claude-code.ts';

const log = (
  name: string,
  attributes: ForeignLog['attributes'] = {},
  more: Partial<ForeignLog> = {},
): ForeignLog => ({
  kind: 'log',
  eventName: name,
  timeMs: 1000,
  attributes: { 'session.id': 's1', 'prompt.id': 'p1', ...attributes },
  resource: {},
  service: 'claude-code',
  ...more,
});
const bash = { tool_name: 'Bash', tool_use_id: 'toolu_1' };

test('a turn with a tool: what is open between its events, and idle where nothing tells', async () => {
  const records = [
    log('claude_code.user_prompt'),
    log('claude_code.api_request'),
    log('claude_code.tool_decision', { ...bash, decision: 'accept' }),
    log('claude_code.tool_result', { ...bash, success: 'true' }),
    log('claude_code.api_request'),
    log('claude_code.user_prompt', { 'prompt.id': 'p2' }),
  ];
  expect(await told(new ClaudeCodeMapper(), [records])).toEqual({
    'claude-code-p1': [
      'started',
      'request_started r1',
      'request_ended r1 completed',
      'idle',
      'tool_started toolu_1',
      'tool_ended toolu_1 completed',
      'idle',
      'step',
      'idle',
      'ended completed',
    ],
    'claude-code-p2': ['started', 'request_started r1'],
  });
});

test('older versions name neither prompt nor call', async () => {
  const bare = (name: string, more: ForeignLog['attributes'] = {}): ForeignLog =>
    log(name, { 'prompt.id': '', 'event.sequence': 4, ...more });
  const records = [
    bare('user_prompt'),
    bare('api_error'),
    bare('tool_decision', { tool_name: 'Edit', decision: 'accept' }),
    bare('tool_result', { tool_name: 'Edit', success: false }),
    bare('tool_decision', { tool_name: 'Edit', decision: 'reject' }),
  ];
  expect(await told(new ClaudeCodeMapper(), [records])).toEqual({
    'claude-code-s1-4': [
      'started',
      'request_started r1',
      'request_ended r1 failed',
      'tool_started Edit-1',
      'tool_ended Edit-1 failed',
      'idle',
      'step',
      'idle',
    ],
  });
  expect(await told(new ClaudeCodeMapper(), [[log('user_prompt', {}, { service: 'another' })]])).toEqual({});
});

test('the span of the interaction ends the turn, unless it is of one before', async () => {
  const span = (endMs: number): ForeignSpan => ({
    kind: 'span',
    name: 'claude_code.interaction',
    startMs: 1,
    endMs,
    status: 'error',
    traceId: 'a'.repeat(32),
    spanId: 'b'.repeat(16),
    attributes: { 'session.id': 's1' },
    resource: {},
  });
  const mapper = new ClaudeCodeMapper();
  const all = [log('claude_code.user_prompt'), span(500), span(2000), log('claude_code.api_request')];
  expect(await told(mapper, [all])).toEqual({
    'claude-code-p1': ['started', 'request_started r1', 'ended failed'],
  });
});

/** As 2.1.332 writes them: the prefix is in the body, which is not read; decisions come before the answer they are of. */
const real = (name: string, attributes: ForeignLog['attributes'] = {}): ForeignLog =>
  log(
    name,
    { 'event.sequence': 4, ...attributes },
    { scope: 'com.anthropic.claude_code.events', traceId: 'a'.repeat(32) },
  );
const shortTurn = [
  real('managed_settings_resolved', { 'prompt.id': '' }),
  real('plugin_loaded', { 'prompt.id': '' }),
  real('user_prompt'),
  real('tool_decision', { ...bash, decision: 'accept' }),
  real('api_request', { model: 'm', query_source: 'sdk' }),
  real('assistant_response', { model: 'm' }),
  real('tool_result', { ...bash, success: 'true' }),
  real('retention_sweep'),
  real('api_request', { model: 'm', query_source: 'sdk' }),
  real('assistant_response', { model: 'm' }),
];
const interaction: ForeignSpan = {
  kind: 'span',
  name: 'claude_code.interaction',
  scope: 'com.anthropic.claude_code.tracing',
  service: 'claude-code',
  startMs: 900,
  endMs: 9000,
  status: 'unset',
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  attributes: { 'session.id': 's1' },
  resource: {},
};

test('real names and their order: a tool is open before its answer has ended', async () => {
  expect(await told(new ClaudeCodeMapper(), [shortTurn, [interaction]])).toEqual({
    'claude-code-p1': [
      'started',
      'request_started r1',
      'request_ended r1 completed',
      'tool_started toolu_1',
      'step',
      'tool_ended toolu_1 completed',
      'idle',
      'step',
      'idle',
      'ended completed',
    ],
  });
});

/** Nobody is asked for permission. */
const bypassed = { ...bash, decision: 'accept', permission_mode: 'bypassPermissions' };
const at = (timeMs: number, name: string, attributes: ForeignLog['attributes'] = {}): ForeignLog => ({
  ...real(name, attributes),
  timeMs,
});

test('where nobody is asked, the model is after the last result of a tool', async () => {
  const records = [
    at(1000, 'user_prompt'),
    at(3000, 'tool_decision', bypassed),
    at(3012, 'api_request', { query_source: 'sdk', duration_ms: 1900 }),
    at(6000, 'tool_result', { ...bash, success: 'true' }),
    at(9000, 'api_request', { query_source: 'sdk', duration_ms: 2900 }),
  ];
  expect(await told(new ClaudeCodeMapper(), [records])).toEqual({
    'claude-code-p1': [
      'started',
      'request_started r1',
      'request_ended r1 completed',
      'tool_started toolu_1',
      'step',
      'tool_ended toolu_1 completed',
      'request_started r2',
      'request_ended r2 completed',
      'idle',
    ],
  });
});

test('with a person, or a program that asks one, it is idle there', async () => {
  for (const [decision, request] of [
    [{ ...bypassed, permission_mode: 'default' }, { query_source: 'sdk' }],
    [bypassed, { query_source: 'repl_main_thread' }],
  ] as const) {
    const records = [
      at(1000, 'user_prompt'),
      at(3000, 'tool_decision', decision),
      at(3012, 'api_request', { ...request, duration_ms: 1900 }),
      at(6000, 'tool_result', { ...bash, success: 'true' }),
    ];
    const turns = await told(new ClaudeCodeMapper(), [records]);
    expect(turns['claude-code-p1']?.at(-1)).toBe('idle');
  }
});

test('an answer that is told after its tool has ended is not that to the next request', async () => {
  const records = [
    at(1000, 'user_prompt'),
    at(3000, 'tool_decision', bypassed),
    at(3050, 'tool_result', { ...bash, success: 'true' }),
    at(3070, 'api_request', { query_source: 'sdk', duration_ms: 1900 }),
  ];
  const turns = await told(new ClaudeCodeMapper(), [records]);
  expect(turns['claude-code-p1']?.slice(-3)).toEqual(['idle', 'step', 'request_started r2']);
});

test('a title, a summary and the like that is asked for beside the turn answers none of its own requests', async () => {
  const aside = { query_source: 'generate_session_title', duration_ms: 900 };
  const records = [
    at(1000, 'user_prompt'),
    at(2000, 'api_request', aside),
    at(2100, 'api_error', { query_source: 'memdir_relevance' }),
    at(9000, 'api_request', { query_source: 'repl_main_thread', duration_ms: 7900 }),
    at(9900, 'api_request', { query_source: 'prompt_suggestion', duration_ms: 800 }),
  ];
  expect(await told(new ClaudeCodeMapper(), [records, [interaction]])).toEqual({
    'claude-code-p1': [
      'started',
      'request_started r1',
      'step',
      'step',
      'request_ended r1 completed',
      'idle',
      'step',
      'idle',
      'ended completed',
    ],
  });
});

test("a sub-agent's requests and tools are activity, and open or close none of the turn's own", async () => {
  const sub = { agent_id: 'a1', query_source: 'agent:builtin:general-purpose' };
  const agent = { tool_name: 'Agent', tool_use_id: 'toolu_0' };
  const records = [
    at(1000, 'user_prompt'),
    at(3000, 'tool_decision', { ...bypassed, ...agent }),
    at(3012, 'api_request', { query_source: 'sdk', duration_ms: 1900 }),
    at(3050, 'tool_result', { ...agent, success: 'true' }),
    at(4000, 'tool_decision', { ...bypassed, ...sub }),
    at(4010, 'api_request', { ...sub, duration_ms: 900 }),
    at(6000, 'tool_result', { ...bash, ...sub, success: 'true' }),
    at(7000, 'api_request', { ...sub, duration_ms: 900 }),
  ];
  const turns = await told(new ClaudeCodeMapper(), [records]);
  expect(turns['claude-code-p1']?.slice(6)).toEqual([
    'request_started r2',
    'tool_started toolu_1',
    'step',
    'tool_ended toolu_1 completed',
    'step',
  ]);
});

test('a turn shorter than the interval of its logs: its span comes before them, and ends it all the same', async () => {
  const { 'claude-code-p1': turn } = await told(new ClaudeCodeMapper(), [[interaction], shortTurn]);
  expect(turn?.slice(0, 2)).toEqual(['started', 'request_started r1']);
  expect(turn?.slice(-2)).toEqual(['idle', 'ended completed']);
});

test('the span of a turn whose last request failed does not say so; the turn has failed', async () => {
  const failing = [real('user_prompt'), real('api_error', { query_source: 'sdk' })];
  const turn = ['started', 'request_started r1', 'request_ended r1 failed', 'ended failed'];
  for (const batches of [
    [failing, [interaction]],
    [[interaction], failing],
  ])
    expect(await told(new ClaudeCodeMapper(), batches)).toEqual({ 'claude-code-p1': turn });
});

test('the span of the next prompt, before its logs, does not end this one', async () => {
  const next = { ...interaction, traceId: 'c'.repeat(32) };
  expect(await told(new ClaudeCodeMapper(), [[real('user_prompt')], [next]])).toEqual({
    'claude-code-p1': ['started', 'request_started r1'],
  });
});
