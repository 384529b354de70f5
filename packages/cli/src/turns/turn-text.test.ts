import { type TurnDocument, turnDocument } from '@turnwatch/protocol';
import { expect, test } from 'vitest';
import { turnRows, turnText } from './turn-text.ts';

const at = '2026-01-01T00:00:00.000Z';
const plain: TurnDocument = turnDocument.parse({
  id: 't1',
  attempt: 1,
  state: 'running',
  stale: false,
  staleSince: null,
  suspectSince: null,
  reason: null,
  episode: 1,
  outcome: null,
  settledAt: null,
  phase: 'text',
  waiting: null,
  silenceMs: 21_000,
  thresholdMs: 20_000,
  thresholdSource: 'default',
  confirmMs: 5000,
  precision: 'proven',
  lastActivityAt: at,
  lastActivityKind: 'chunk',
  openTool: null,
  calls: [],
  openRequests: [],
  promptRead: null,
  chunks: 0,
  startedAt: at,
  expiresAt: null,
  expiresByDefault: false,
  parentId: null,
  conversationId: null,
  agent: 'worker',
  provider: null,
  model: null,
  managedBy: null,
  traceId: null,
  process: 'p',
  path: 'direct',
  acknowledged: null,
  muted: null,
  closed: null,
  ownThresholdsMs: {},
});
const call = (id: string, quietMs: number, graceMs: number): TurnDocument['calls'][number] => ({
  id,
  ageMs: 60_000,
  quietMs,
  graceMs,
  updates: 3,
  expired: false,
});
const silentIn = (turn: TurnDocument): string | undefined => / {2}(\S.*?) {2,}worker/.exec(rowOf(turn))?.[1];
const rowOf = (turn: TurnDocument): string =>
  turnRows([turn])
    .split('\n')[1]
    ?.replace(/^t1 +\S+ +\S+/, '') ?? '';

test('the lag of its path is named beside a threshold that it is part of, and only there', () => {
  const lagged = { ...plain, thresholdMs: 307_900, lagMs: 299_900, path: 'relay' };
  expect(turnText(lagged)).toContain(
    '21 s of 308 s (default; 300 s of it: largest lag of path relay in the last hours)',
  );
  expect(turnText(plain)).toContain('21 s of 20 s (default)\n');
});

test.each([
  ['a stream', plain, '21 s of 20 s'],
  [
    'the call nearest to its grace',
    { ...plain, phase: 'tool', calls: [call('a', 9000, 90_000), call('b', 3000, 12_000)] },
    '3.0 s of 12 s, tool',
  ],
  [
    'a wait',
    { ...plain, phase: 'waiting', waiting: { for: 'person', call: null, since: at } },
    'clock stopped',
  ],
  ['nothing under way', { ...plain, phase: 'idle' }, 'clock stopped'],
] as [string, TurnDocument, string][])(
  'SILENT is of the clock that is judged by: %s',
  (_what, turn, silent) => {
    expect(silentIn(turn)).toBe(silent);
    expect(turnText(turn)).toContain(silent);
  },
);

test('what is over has no phase and no clock, but an end', () => {
  const over: TurnDocument = {
    ...plain,
    state: 'ended',
    outcome: 'completed',
    phase: 'agent',
    settledAt: '2026-01-01T00:01:00.000Z',
    model: 'gpt-5',
  };
  expect(rowOf(over)).toMatch(/^ {2}- +- +worker +gpt-5 +2026-01-01T00:00:00Z$/);
  expect(turnText(over)).toContain('ended         2026-01-01T00:01:00.000Z');
  expect(turnText(over)).not.toMatch(/^(phase|silent)/m);
});

test('an id as Qwen Code makes them is not quoted, one that a shell would take for a comment is', () => {
  expect(turnText({ ...plain, id: 'qwen-code-8c39########0' })).toContain('qwen-code-8c39########0,');
  expect(turnText({ ...plain, id: '#1' })).toContain('"#1",');
});

test('a model whose provider is not known', () => {
  expect(turnText({ ...plain, model: 'gemini-3' })).toMatch(/^model +gemini-3$/m);
});

test('the model and the prompt that is being read', () => {
  const reading: TurnDocument = {
    ...plain,
    phase: 'first_token',
    provider: 'llama.cpp',
    model: 'qwen3',
    promptRead: { read: 12_298, total: 59_091 },
  };
  expect(rowOf(reading)).toContain('qwen3');
  expect(turnText(reading)).toMatch(/^phase +first_token, 12298 of 59091 tokens of the prompt read$/m);
  const share = { ...reading, promptRead: { read: 0.57, total: 1 } };
  expect(turnText(share)).toMatch(/^phase +first_token, 57 % of the prompt read$/m);
});

test('one long id does not widen the columns of the others', () => {
  const rows = turnRows([{ ...plain, id: 'x'.repeat(180) }, plain]).split('\n');
  expect(rows[1]).toContain('x'.repeat(180));
  expect(rows[2]?.length).toBeLessThan(140);
});
