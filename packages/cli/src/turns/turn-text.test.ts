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
  ['an end', { ...plain, state: 'ended' }, 'ended'],
] as [string, TurnDocument, string][])(
  'SILENT is of the clock that is judged by: %s',
  (_what, turn, silent) => {
    expect(silentIn(turn)).toBe(silent);
    expect(turnText(turn)).toContain(silent);
  },
);

test('one long id does not widen the columns of the others', () => {
  const rows = turnRows([{ ...plain, id: 'x'.repeat(180) }, plain]).split('\n');
  expect(rows[1]).toContain('x'.repeat(180));
  expect(rows[2]?.length).toBeLessThan(140);
});
