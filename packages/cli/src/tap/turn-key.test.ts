import { expect, test } from 'vitest';
import { turnKeyOf } from './turn-key.ts';

const trace = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

test.each([
  ['our own header', { 'x-turnwatch-turn-id': 'T', 'session-id': 's' }, 'turn T', true],
  [
    'Codex',
    { session_id: 's', 'x-codex-turn-metadata': '{"turn_id":"t7","thread_id":"s"}' },
    'turn t7',
    true,
  ],
  [
    'Codex before its turns had ids',
    { session_id: 's', 'x-codex-turn-metadata': 'x' },
    'conversation s',
    true,
  ],
  ['Claude Code', { 'x-claude-code-session-id': 'c' }, 'conversation c', true],
  ['opencode', { 'x-opencode-session': 'ses_1' }, 'conversation ses_1', true],
  ['a trace', { traceparent: trace }, 'trace 4bf92f3577b34da6a3ce929d0e0e4736', false],
  ['a trace that is none', { traceparent: 'x' }, 'request r1', false],
  ['nothing', {}, 'request r1', false],
] as const)('%s', (_, headers, key, lasts) => {
  expect(turnKeyOf(headers, 'r1')).toMatchObject({ key, lasts });
});

test('says who it is, who asked for it and in which conversation', () => {
  expect(
    turnKeyOf(
      {
        'user-agent': 'claude-cli/2.1 (external)',
        'x-claude-code-session-id': 'c',
        'x-turnwatch-parent-id': 'p',
        traceparent: trace,
      },
      'r1',
    ),
  ).toEqual({
    key: 'conversation c',
    lasts: true,
    conversationId: 'c',
    parentId: 'p',
    agent: 'claude-cli',
    traceparent: trace,
  });
});

test('of Codex it knows the thread, and what is no request of the turn itself', () => {
  const metadata = (kind: string): string =>
    JSON.stringify({ turn_id: 't7', session_id: 's', thread_id: 'th', request_kind: kind });
  const known = { key: 'turn t7', lasts: true, turnId: 't7', conversationId: 's', thread: 'th' };
  expect(turnKeyOf({ 'x-codex-turn-metadata': metadata('turn') }, 'r1')).toEqual(known);
  expect(turnKeyOf({ 'x-codex-turn-metadata': metadata('compaction') }, 'r1')).toEqual({
    ...known,
    aside: true,
  });
});

// What real clients send, by name; values are ours.
const claude = {
  'user-agent': 'claude-cli/2.1.332 (external, sdk-cli)',
  'x-app': 'cli',
  'x-claude-code-session-id': 's1',
  'x-stainless-retry-count': '0',
  'anthropic-version': '2023-06-01',
};
test.each([
  ['Claude Code 2.1.332', claude, { key: 'conversation s1', agent: 'claude-cli' }],
  [
    'its sub-agent',
    { ...claude, 'x-claude-code-agent-id': 'a1' },
    { key: 'conversation s1 agent a1', conversationId: 's1' },
  ],
  [
    'opencode 1.18.33 with a provider of its configuration',
    {
      'user-agent': 'opencode/1.18.33 ai-sdk/provider-utils/4.0.23 runtime/bun/1.3.14',
      'x-session-affinity': 'ses_1',
      'x-session-id': 'ses_1',
    },
    { key: 'conversation ses_1', agent: 'opencode' },
  ],
  [
    'Gemini CLI 0.61.0 by itself',
    {
      'user-agent': 'GeminiCLI-tui/0.61.0/m (linux; x64; terminal)',
      'x-goog-api-client': 'google-genai-sdk/1.30.0',
    },
    { key: 'request r1', lasts: false, agent: 'GeminiCLI-tui' },
  ],
  [
    'Gemini CLI with GEMINI_CLI_CUSTOM_HEADERS, Qwen Code with customHeaders',
    {
      'user-agent': 'QwenCode/0.24.4 (linux; x64)',
      'x-turnwatch-conversation-id': 'c1',
      'x-turnwatch-parent-id': 'p1',
    },
    { key: 'conversation c1', lasts: true, parentId: 'p1' },
  ],
])('%s', (_, headers, key) => {
  expect(turnKeyOf(headers, 'r1')).toMatchObject(key);
});
