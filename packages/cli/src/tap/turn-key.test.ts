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
  [
    'a sub-agent of Claude Code',
    { 'x-claude-code-session-id': 'c', 'x-claude-code-agent-id': 'a1' },
    'conversation c agent a1',
    true,
  ],
  ['opencode', { 'x-opencode-session': 'ses_1' }, 'conversation ses_1', true],
  [
    'opencode with a provider that is not its own',
    { 'x-session-affinity': 'ses_1', 'x-session-id': 'ses_1' },
    'conversation ses_1',
    true,
  ],
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
