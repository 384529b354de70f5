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
