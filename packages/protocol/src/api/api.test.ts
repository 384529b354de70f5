import type { TurnView } from '@turnwatch/core';
import { describe, expect, it } from 'vitest';
import { problem } from './problem.ts';
import { toTurnDocument } from './turn-document.ts';
import { turnQuery } from './turn-query.ts';
import { turnDocument, turnList } from './turn-schema.ts';

const running: TurnView = {
  id: 't',
  attempt: 1,
  incarnation: 1,
  identity: {},
  process: 'p',
  path: 'direct',
  state: 'running',
  reason: null,
  outcome: null,
  episode: 0,
  phase: 'first_token',
  waiting: null,
  silenceMs: 1234.5,
  thresholdMs: 260_000,
  thresholdSource: 'default',
  heardAgoMs: 0,
  confirmMs: 65_000,
  lagMs: 0,
  lastActivityAtMs: 1_764_500_560_000,
  lastActivityKind: 'request_started',
  startedAtMs: 1_764_500_550_000,
  staleSinceMs: null,
  verdict: null,
  suspectSinceMs: null,
  settledAtMs: null,
  expiresAtMs: null,
  expiresByDefault: false,
  precision: 'proven',
  calls: [],
  expiredCalls: [],
  openRequests: ['r'],
  promptRead: { read: 4000 },
  chunks: 0,
  acknowledged: null,
  muted: null,
  closed: null,
  ownThresholdsMs: {},
};

describe('a turn as the API shows it', () => {
  it('fits its schema, alone and in a list', () => {
    const document = toTurnDocument(running);
    expect(turnDocument.parse(document)).toStrictEqual(document);
    const list = { turns: [document], nextCursor: null };
    expect(turnList.parse(JSON.parse(JSON.stringify(list)))).toStrictEqual(list);
  });

  it('has ISO instants, whole milliseconds and null for what is not there', () => {
    expect(toTurnDocument(running)).toMatchObject({
      stale: false,
      staleSince: null,
      silenceMs: 1235,
      lastActivityAt: '2025-11-30T11:02:40.000Z',
      expiresAt: null,
      parentId: null,
      openTool: null,
      promptRead: { read: 4000, total: null },
    });
  });

  it('shows a stale turn with its reason and the call that has been quiet longest', () => {
    const call = { ageMs: 9, graceMs: 1, updates: 0, expired: true };
    const document = toTurnDocument({
      ...running,
      state: 'stale',
      reason: 'tool_silence',
      staleSinceMs: 1_764_500_570_000,
      identity: { parentId: 'boss', model: 'm' },
      waiting: { for: 'approval', call: 'b', sinceMs: 1_764_500_560_000 },
      calls: [
        { ...call, id: 'a', quietMs: 1 },
        { ...call, id: 'b', name: 'bash', quietMs: 3 },
        { ...call, id: 'c', quietMs: 2 },
      ],
    });
    expect(turnDocument.parse(document)).toStrictEqual(document);
    expect(document).toMatchObject({
      stale: true,
      staleSince: '2025-11-30T11:02:50.000Z',
      reason: 'tool_silence',
      parentId: 'boss',
      openTool: { id: 'b', name: 'bash' },
      waiting: { for: 'approval', call: 'b', since: '2025-11-30T11:02:40.000Z' },
    });
  });
});

describe('the query for turns', () => {
  it('has a default page of 100', () => {
    expect(turnQuery.parse({})).toEqual({ limit: 100 });
  });

  it('takes every filter as a string', () => {
    const query = { state: 'stale', parent: 'p', conversation: 'c', agent: 'a', cursor: 'x' };
    expect(turnQuery.parse({ ...query, limit: '1000' })).toEqual({ ...query, limit: 1000 });
  });

  it.each([
    [{ limit: '0' }, 'limit'],
    [{ limit: '1001' }, 'limit'],
    [{ limit: '1e2' }, 'limit'],
    [{ limit: '' }, 'limit'],
    [{ state: 'dead' }, 'state'],
    [{ parent: '' }, 'parent'],
    [{ agent: 'x'.repeat(129) }, 'agent'],
    [{ state: ['stale', 'running'] }, 'state'],
  ])('refuses %j', (query, named) => {
    expect(turnQuery.safeParse(query).error?.issues[0]?.path).toEqual([named]);
  });

  it('refuses a parameter that it does not know, by name', () => {
    expect(turnQuery.safeParse({ sate: 'stale' }).error?.message).toContain('sate');
  });
});

describe('a problem', () => {
  it('has a status and a stable code', () => {
    const body = { type: 'about:blank', title: 'Not Found', status: 404, code: 'TURNWATCH_ERR_NO_TURN' };
    expect(problem.parse(body)).toEqual(body);
    expect(problem.safeParse({ ...body, status: 200 }).success).toBe(false);
    expect(problem.safeParse({ ...body, code: 'oops' }).success).toBe(false);
  });
});
