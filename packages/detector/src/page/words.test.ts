import type { LiveRow } from '@turnwatch/protocol';
import { describe, expect, test } from 'vitest';
import { EventLines } from './event-lines.ts';
import { queryOf } from './filter.ts';
import { gaugeOf } from './silence-gauge.ts';
import { sinceOf, sinceText } from './since.ts';
import { grouped, orderWords, spell, spellStill, statusOf, toldWords } from './words.ts';

const startMs = Date.UTC(2026, 10, 30, 12);
const iso = (ms: number): string => new Date(startMs + ms).toISOString();
const at = (seconds: number): number => startMs + seconds * 1000;

function aRow(more: Partial<LiveRow> = {}): LiveRow {
  return {
    id: 't',
    attempt: 1,
    rank: 6,
    state: 'running',
    since: iso(0),
    reason: null,
    outcome: null,
    phase: 'text',
    agent: 'coder',
    parentId: null,
    provider: null,
    model: null,
    managedBy: null,
    waiting: null,
    promptRead: null,
    calls: 0,
    tool: null,
    silence: {
      ms: 0,
      since: iso(0),
      thresholdMs: 60_000,
      confirmMs: 15_000,
      source: 'default',
      judged: true,
    },
    startedAt: iso(0),
    expiresAt: null,
    expiresByDefault: true,
    precision: 'proven',
    hearing: 'live',
    heardAt: null,
    told: [],
    toldTotal: 0,
    ...more,
  };
}

test.each([
  [0, '0 s'],
  [450, '0.4 s'],
  [12_900, '12 s'],
  [119_999, '119 s'],
  [200_000, '3 m 20 s'],
  [7_500_000, '2 h 5 m'],
  [273_600_000, '3 d 4 h'],
  [-5, '0 s'],
])('%d ms is %s', (ms, words) => expect(spell(ms)).toBe(words));

test.each([
  [1750, '1.8 s'],
  [7000, '7 s'],
  [15_900, '15 s'],
])('%d ms that stand still are %s', (ms, words) => expect(spellStill(ms)).toBe(words));

test('numbers are grouped the same way everywhere', () => {
  expect([0, 999, 12_298, 59_091, 1_234_567].map(grouped)).toEqual([
    '0',
    '999',
    '12,298',
    '59,091',
    '1,234,567',
  ]);
});

test('a prompt of which only the share is told', () => {
  const row = aRow({ phase: 'first_token', promptRead: { read: 0.57, total: 1 } });
  expect(statusOf(row, at(1)).detail).toBe('57 %');
});

describe('a bar never counts past what it is held against', () => {
  test.each([
    [12, '12 s of 60 s'],
    [60, 'past 60 s, confirming'],
    [74, 'past 60 s, confirming'],
    [75, '75 s: being judged'],
    [9999, '75 s: being judged'],
  ])('silent for %d s', (seconds, label) =>
    expect(gaugeOf(aRow(), at(seconds))).toMatchObject({ label, share: Math.min(1, seconds / 75) }),
  );

  test('nor a tool past its grace', () => {
    const tool = { id: 'c', name: 'run_tests', ms: 0, since: iso(0), graceMs: 30_000, expired: false };
    const row = aRow({ phase: 'tool', tool, calls: 1, silence: { ...aRow().silence, judged: false } });
    expect(gaugeOf(row, at(10))?.label).toBe('10 s of 30 s');
    expect(gaugeOf(row, at(99))).toMatchObject({ label: '30 s: being judged', share: 1, runs: false });
    expect(gaugeOf({ ...row, tool: { ...tool, graceMs: null } }, at(99))).toMatchObject({
      share: 0,
      label: 'quiet for 99 s',
    });
  });

  test('nor anything past a horizon or a verdict', () => {
    expect(gaugeOf(aRow({ expiresAt: iso(5000) }), at(6))).toMatchObject({ label: 'expired', runs: false });
    expect(statusOf(aRow({ expiresAt: iso(5000) }), at(6)).word).toBe('Expiring');
    expect(gaugeOf(aRow({ state: 'stale', reason: 'silence' }), at(999))).toMatchObject({
      label: 'stalled',
      runs: false,
    });
    expect(gaugeOf(aRow({ state: 'expired' }), at(999))).toMatchObject({ label: 'expired', runs: false });
  });

  test('a clock that nothing proves stands still, and says so', () => {
    const silence = { ...aRow().silence, ms: 12_000, since: null };
    expect(gaugeOf(aRow({ hearing: 'quiet', silence }), at(50))).toMatchObject({
      runs: false,
      label: 'not known, was 12 s of 60 s',
    });
  });
});

test('an idle turn is not judged, and has no clock', () => {
  const row = aRow({ phase: 'idle', silence: { ...aRow().silence, judged: false } });
  expect([statusOf(row, at(9)).word, gaugeOf(row, at(9))]).toEqual(['Idle', null]);
});

test('who was told: nobody where nobody is to be told, and who takes care where somebody does', () => {
  const stale = aRow({ state: 'stale', reason: 'silence' });
  expect(toldWords(aRow()).text).toBe('');
  expect(toldWords(stale).text).toBe('nobody to tell');
  expect(toldWords({ ...stale, managedBy: 'runtime' }).text).toBe('left to runtime');
  const told = (state: 'delivered' | 'pending' | 'dead', attempts: number) =>
    toldWords({ ...stale, told: [{ endpoint: 'planner', type: 'turn.stale', state, attempts, at: iso(0) }] })
      .text;
  expect([told('delivered', 1), told('pending', 0), told('pending', 2), told('dead', 9)]).toEqual([
    'told planner',
    'telling planner',
    'planner not reached, 2 attempts',
    'planner never told',
  ]);
});

test('what is typed becomes the detector’s own filter', () => {
  expect(queryOf({ state: undefined, typed: '  ' })).toBe('');
  expect(queryOf({ state: 'stale', typed: 'agent:co&der gpt 5 parent:x' })).toBe(
    '?state=stale&agent=co%26der&parent=x&text=gpt+5',
  );
});

test('events are read however the stream is cut', () => {
  const text =
    'id: 1\nevent: snapshot\ndata: {"a":1}\n\n: comment\n\nevent: change\r\ndata: x\r\ndata: y\r\n\r\ndata: tail';
  for (let size = 1; size < text.length; size += 3) {
    const lines = new EventLines();
    const found = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
      lines.push(text.slice(index * size, (index + 1) * size)),
    ).flat();
    expect(found).toEqual([
      { event: 'snapshot', data: '{"a":1}' },
      { event: 'change', data: 'x\ny' },
    ]);
  }
});

test('an operator’s order is shown with whose it is, and why', () => {
  expect(orderWords('muted', { by: 'ops', why: null })).toBe('muted by ops');
  expect(orderWords('acknowledged', { by: 'ops', why: 'looking' })).toBe('acknowledged by ops: looking');
});

test.each<[string, Partial<LiveRow>, string, string]>([
  ['a stale turn, from its verdict', { state: 'stale', since: iso(20_000) }, 'stale for 10 s', 'for 10 s'],
  ['a suspect one', { state: 'suspect', since: iso(20_000) }, 'suspect for 10 s', 'for 10 s'],
  ['an expired one', { state: 'expired', since: iso(20_000) }, 'expired 10 s ago', '10 s ago'],
  ['one that has ended', { state: 'ended', since: iso(20_000) }, 'ended 10 s ago', '10 s ago'],
  [
    'one that waits',
    { phase: 'waiting', waiting: { for: 'input', call: null, since: iso(20_000) } },
    'waiting for 10 s',
    'for 10 s',
  ],
  [
    'one that is not heard',
    { hearing: 'unreachable', heardAt: iso(20_000) },
    'last heard 10 s ago',
    'last heard 10 s ago',
  ],
  ['one that works', {}, 'running for 30 s', 'for 30 s'],
])('%s: its page and the list count from one instant, and say what since', (_, more, alone, beside) => {
  const since = sinceOf(aRow(more));
  expect([sinceText(since, at(30), false), sinceText(since, at(30), true)]).toEqual([alone, beside]);
});
