import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SavedBaseline, SavedRest, SavedTurn } from '@turnwatch/core';
import type { DeliveryRow, NewDelivery } from '@turnwatch/webhook/send';
import { supersedes, turnStateTypes } from '@turnwatch/webhook/send';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MemoryStore } from './memory-store.ts';
import { SqliteStore } from './sqlite-store.ts';
import type { AuditEntry } from './stored-audit.ts';
import { isWanted, type StoredEvent } from './stored-event.ts';
import type { Commit, TurnStore } from './turn-store.ts';

// One contract, two stores: what a test learns on the one holds for the other.

// The store never looks inside of what core hands it.
const turn = (text: string): SavedTurn => ({ text }) as unknown as SavedTurn;
const baseline = (text: string): SavedBaseline => ({ text }) as unknown as SavedBaseline;
const rest = (text: string): SavedRest => ({ text }) as unknown as SavedRest;

const nothing: Commit = {
  turns: [],
  baselines: [],
  deliveries: [],
  events: [],
  forgottenTurns: [],
  awakeMs: 0,
  sequence: 0,
};
const error = { code: 'server_error', status: 500, message: 'it answered 500' };

function delivery(id: string, more: Partial<NewDelivery> = {}): NewDelivery {
  return {
    id,
    endpointId: 'a',
    sequence: 1,
    type: 'turn.stale',
    turnId: 't1',
    body: '{}',
    createdAtMs: 1000,
    ...more,
  };
}

function event(sequence: number, more: Partial<StoredEvent> = {}): StoredEvent {
  return {
    sequence,
    id: `evt_${sequence}`,
    type: 'turn.stale',
    turnId: 't1',
    recipient: 'planner',
    parentId: 'planner',
    conversationId: 'talk',
    agent: 'worker',
    managed: false,
    body: `{"sequence":${sequence}}`,
    createdAtMs: 1000 + sequence,
    ...more,
  };
}

const audited = (why: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
  atMs: 1000,
  by: 'oncall',
  action: 'turn.mute',
  turn: 't1',
  baseline: null,
  why,
  details: { until: null, thresholdMs: 5 },
  requestId: 'req_1',
  ...more,
});

function first(rows: readonly DeliveryRow[]): DeliveryRow {
  const [row] = rows;
  if (row === undefined) throw new Error('there is no row');
  return row;
}

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'turnwatch-store-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const kinds: readonly [string, () => TurnStore][] = [
  ['memory', () => new MemoryStore()],
  ['sqlite', () => SqliteStore.open(join(directory, 'a.db'))],
];

describe.each(kinds)('%s', (_name, open) => {
  let store: TurnStore;
  beforeEach(() => {
    store = open();
  });
  afterEach(() => store.close());

  const queue = (...deliveries: NewDelivery[]): void => store.commit({ ...nothing, deliveries });

  test('is empty at first', () => {
    expect(store.load()).toEqual({ turns: [], baselines: [], owners: [], awakeMs: 0, sequence: 0 });
    expect(store.detectorId).toMatch(/^det_[0-9a-f]{20}$/);
  });

  test('gives back what was committed; the newest of each', () => {
    store.commit({
      ...nothing,
      turns: [{ id: 't1', saved: turn('old') }],
      rest: rest('r'),
      awakeMs: 5,
      sequence: 1,
    });
    store.commit({
      ...nothing,
      turns: [
        { id: 't1', saved: turn('new') },
        { id: 't2', saved: turn('other') },
      ],
      baselines: [{ key: 'k', saved: baseline('b') }],
      awakeMs: 6,
      sequence: 2,
    });
    expect(store.load()).toEqual({
      turns: [turn('new'), turn('other')],
      baselines: [baseline('b')],
      owners: [],
      rest: rest('r'),
      awakeMs: 6,
      sequence: 2,
    });
  });

  test('knows who owns what', () => {
    const own = (id: string, owner: string) => ({ kind: 'turn' as const, id, owner });
    const claimed = [own('t1', 'a'), own('t2', 'a'), { kind: 'process' as const, id: 't1', owner: 'b' }];
    store.commit({ ...nothing, owners: { claimed, released: [] } });
    const released = [{ kind: 'turn' as const, id: 't1' }];
    store.commit({ ...nothing, owners: { claimed: [own('t2', 'c')], released } });
    expect(new Set(store.load().owners)).toEqual(
      new Set([own('t2', 'c'), { kind: 'process', id: 't1', owner: 'b' }]),
    );
  });

  test('drops forgotten turns', () => {
    store.commit({ ...nothing, turns: [{ id: 't1', saved: turn('a') }] });
    store.commit({ ...nothing, forgottenTurns: ['t1'] });
    expect(store.load().turns).toEqual([]);
  });

  test('w202: one event for one endpoint is one row, however often it is committed', () => {
    queue(delivery('e1'), delivery('e1', { endpointId: 'b' }));
    queue(delivery('e1', { body: 'later and different', sequence: 9 }));
    expect(store.due('a', 5000, 10)).toEqual([
      { ...delivery('e1'), attempts: 0, nextAttemptAtMs: 1000, state: 'pending' },
    ]);
    expect(store.due('b', 5000, 10)).toHaveLength(1);
    expect(store.backlog()).toEqual(
      new Map([
        ['a', 1],
        ['b', 1],
      ]),
    );
  });

  test('rows never attempted come before retries, then by sequence; none before its time', () => {
    queue(delivery('tried', { sequence: 1, turnId: null }), delivery('late', { createdAtMs: 9000 }));
    store.attempted(first(store.due('a', 1000, 10)), {
      outcome: 'retry',
      atMs: 1100,
      nextAttemptAtMs: 2000,
      error,
    });
    queue(delivery('second', { sequence: 8 }), delivery('first', { sequence: 7 }));
    expect(store.due('a', 5000, 10).map((row) => row.id)).toEqual(['first', 'second', 'tried']);
    expect(store.due('a', 5000, 1)).toHaveLength(1);
    expect(store.due('a', 1999, 10).map((row) => row.id)).toEqual(['first', 'second']);
    expect(store.newest('a')?.id).toBe('second');
    expect(store.newest('nobody')).toBeUndefined();
  });

  test('a retry keeps the error and counts', () => {
    queue(delivery('e1'));
    store.attempted(first(store.due('a', 1000, 1)), {
      outcome: 'retry',
      atMs: 1100,
      nextAttemptAtMs: 2000,
      error,
    });
    expect(first(store.due('a', 2000, 1))).toMatchObject({
      attempts: 1,
      nextAttemptAtMs: 2000,
      lastError: error,
    });
    expect(store.attemptsOf('e1')).toEqual([
      {
        id: 'e1',
        endpointId: 'a',
        atMs: 1100,
        outcome: 'retry',
        status: 500,
        errorCode: 'server_error',
        errorMessage: error.message,
      },
    ]);
  });

  test('a delivered or dead row is not due again', () => {
    queue(delivery('good', { turnId: null }), delivery('bad', { sequence: 2 }));
    const [good, bad] = store.due('a', 1000, 2);
    if (good === undefined || bad === undefined) throw new Error('two rows were expected');
    store.attempted(bad, { outcome: 'dead', atMs: 1100, error });
    store.attempted(good, { outcome: 'delivered', atMs: 1100, status: 204 });
    expect(store.due('a', 99_999, 9)).toEqual([]);
    expect(store.backlog()).toEqual(new Map());
    expect(store.deadLetters()).toEqual(new Map([['a', 1]]));
  });

  test('a delivery supersedes exactly what the webhook package says', () => {
    const types = [...turnStateTypes, 'request.expired', 'source.silent'];
    const others = types.flatMap((type, index) => [
      delivery(`older ${type}`, { type, sequence: 10 + index }),
      delivery(`newer ${type}`, { type, sequence: 100 + index }),
      delivery(`other turn ${type}`, { type, turnId: 't2', sequence: 20 + index }),
    ]);
    for (const type of types) {
      const fresh =
        open === kinds[0]?.[1] ? new MemoryStore() : SqliteStore.open(join(directory, `${type}.db`));
      const told = delivery('told', { type, sequence: 50 });
      fresh.commit({ ...nothing, deliveries: [told, ...others] });
      const rows = fresh.due('a', 1000, 99);
      const toldRow = first(rows.filter((row) => row.id === 'told'));
      const expected = rows
        .filter((row) => row.id !== 'told' && !supersedes(toldRow, row))
        .map((row) => row.id);
      const { superseded } = fresh.attempted(toldRow, { outcome: 'delivered', atMs: 1100, status: 200 });
      expect(fresh.due('a', 1000, 99).map((row) => row.id)).toEqual(expected);
      expect(superseded).toBe(rows.length - 1 - expected.length);
      fresh.close();
    }
  });

  test('replay makes a dead row pending again, under the same id', () => {
    queue(delivery('e1'));
    const row = first(store.due('a', 1000, 1));
    store.attempted(row, { outcome: 'dead', atMs: 1100, error });
    expect(store.replay('e1', 'a', 7000)).toBe(true);
    expect(first(store.due('a', 7000, 1))).toMatchObject({
      id: 'e1',
      attempts: 0,
      createdAtMs: 7000,
      body: row.body,
    });
    expect(store.replay('unknown', 'a', 7000)).toBe(false);
  });

  test('bury takes old pending rows of one endpoint or of all, and keeps the error they have', () => {
    queue(
      delivery('old'),
      delivery('tried', { sequence: 2, turnId: 't2' }),
      delivery('young', { createdAtMs: 5000, sequence: 3 }),
    );
    queue(delivery('elsewhere', { endpointId: 'b' }));
    const tried = first(store.due('a', 1000, 9).filter((row) => row.id === 'tried'));
    store.attempted(tried, { outcome: 'retry', atMs: 1, nextAttemptAtMs: 2, error });
    const tooOld = { code: 'too_old', message: 'not delivered in time' };
    expect(store.bury({ endpointId: 'a', createdUntilMs: 1000, error: tooOld })).toBe(2);
    expect(store.due('a', 9000, 9).map((row) => row.id)).toEqual(['young']);
    store.replay('tried', 'a', 1000);
    expect(first(store.due('a', 1000, 1)).lastError).toEqual(error);
    expect(store.bury({ createdUntilMs: 9000, error: tooOld })).toBe(3);
  });

  test('release makes retries due now', () => {
    queue(delivery('e1'));
    store.attempted(first(store.due('a', 1000, 1)), {
      outcome: 'retry',
      atMs: 1,
      nextAttemptAtMs: 90_000,
      error,
    });
    store.release('a', 2000);
    expect(first(store.due('a', 2000, 1))).toMatchObject({ nextAttemptAtMs: 2000, attempts: 1 });
  });

  test('keeps how endpoints stand', () => {
    store.saveEndpointState({ endpointId: 'a', status: 'active', failingSinceMs: 3, changedAtMs: 3 });
    store.saveEndpointState({
      endpointId: 'a',
      status: 'disabled',
      failingSinceMs: 3,
      changedAtMs: 4,
      lastError: error,
    });
    expect(store.endpointStates()).toEqual([
      { endpointId: 'a', status: 'disabled', failingSinceMs: 3, changedAtMs: 4, lastError: error },
    ]);
  });

  test('purge drops settled deliveries and their log, never pending ones', () => {
    queue(delivery('done'), delivery('open', { sequence: 2, turnId: 't2' }));
    store.attempted(first(store.due('a', 1000, 1)), { outcome: 'delivered', atMs: 1100, status: 200 });
    expect(store.purgeDeliveries(1000, 100)).toBe(0);
    expect(store.purgeDeliveries(1200, 100)).toBe(1);
    expect(store.attemptsOf('done')).toEqual([]);
    expect(store.due('a', 1000, 9).map((row) => row.id)).toEqual(['open']);
  });

  test('purge keeps so many settled deliveries, the newest', () => {
    queue(...[1, 2, 3].map((n) => delivery(`e${n}`, { sequence: n, createdAtMs: n, turnId: null })));
    for (const row of store.due('a', 9, 9))
      store.attempted(row, { outcome: 'delivered', atMs: 9, status: 200 });
    expect(store.purgeDeliveries(0, 1)).toBe(2);
    expect(store.deliveries({}, undefined, 9).map((row) => row.id)).toEqual(['e3']);
    expect([store.attemptsOf('e1'), store.attemptsOf('e3').length]).toEqual([[], 1]);
  });

  test('a page of deliveries: the newest event first, by state, endpoint and turn, on from a position', () => {
    queue(
      delivery('e1', { sequence: 1 }),
      delivery('e2', { sequence: 2, endpointId: 'b' }),
      delivery('e2', { sequence: 2, turnId: 't2' }),
      delivery('e3', { sequence: 3, turnId: 't3' }),
    );
    const names = (...given: Parameters<TurnStore['deliveries']>): string[] =>
      store.deliveries(...given).map((row) => `${row.id}:${row.endpointId}`);
    expect(names({}, undefined, 9)).toEqual(['e3:a', 'e2:a', 'e2:b', 'e1:a']);
    expect(names({}, undefined, 2)).toEqual(['e3:a', 'e2:a']);
    expect(names({}, { sequence: 2, endpointId: 'a' }, 9)).toEqual(['e2:b', 'e1:a']);
    expect(names({ endpoints: ['b', 'nobody'] }, undefined, 9)).toEqual(['e2:b']);
    expect(names({ endpoints: [] }, undefined, 9)).toEqual([]);
    expect(names({ turn: 't1' }, undefined, 9)).toEqual(['e2:b', 'e1:a']);
    expect(names({ state: 'dead' }, undefined, 9)).toEqual([]);
    expect(store.delivery('e2', 'b')?.sequence).toBe(2);
    expect(store.delivery('e2', 'c')).toBeUndefined();
  });

  test('w216: what is superseded says by what, until it is replayed', () => {
    queue(delivery('old', { sequence: 1 }), delivery('new', { sequence: 2, type: 'turn.recovered' }));
    const row = store.delivery('new', 'a');
    if (row === undefined) throw new Error('there is no row');
    store.attempted(row, { outcome: 'delivered', atMs: 5, status: 200 });
    expect(store.delivery('old', 'a')).toMatchObject({ state: 'superseded', supersededBy: 'new' });
    store.replay('old', 'a', 6);
    expect(store.delivery('old', 'a')).not.toHaveProperty('supersededBy');
  });

  test('w202: an event is in the feed once, and stays as it was first written', () => {
    store.commit({ ...nothing, events: [event(1)], sequence: 1 });
    store.commit({ ...nothing, events: [event(2, { id: 'evt_1', body: 'other' }), event(3)], sequence: 3 });
    const kept = store.eventsAfter(0, { managed: false }, 9);
    expect(kept).toEqual([event(1), event(3)]);
    expect(store.eventsAfter(1, { managed: false }, 9).map(({ sequence }) => sequence)).toEqual([3]);
    expect(store.eventsAfter(0, { managed: false }, 1)).toHaveLength(1);
    expect(store.eventBounds()).toEqual({ droppedThrough: 0, newest: 3 });
  });

  test('the feed is filtered as the rule says', () => {
    const all = [
      event(1),
      event(2, { type: 'turn.suspect' }),
      event(3, { recipient: 'grandparent' }),
      event(4, { recipient: null, parentId: null, conversationId: null, agent: null }),
      event(5, { managed: true, turnId: 't2' }),
      event(6, { type: 'source.silent', turnId: null }),
      event(7, { agent: 'other', conversationId: 'other' }),
    ];
    store.commit({ ...nothing, events: all, sequence: 7 });
    const filters = [
      { managed: false },
      { managed: true },
      { managed: false, parent: 'planner' },
      { managed: false, parent: 'grandparent' },
      { managed: true, turn: 't2' },
      { managed: false, agent: 'other' },
      { managed: false, conversation: 'talk' },
      { managed: false, type: ['turn.suspect', 'source.silent'] as const },
    ];
    for (const filter of filters)
      expect(store.eventsAfter(0, filter, 99), JSON.stringify(filter)).toEqual(
        all.filter((one) => isWanted(one, filter)),
      );
    expect(
      store.eventsAfter(0, { managed: false, parent: 'planner' }, 9).map(({ sequence }) => sequence),
    ).toEqual([1, 3, 7]);
  });

  test('old events go by age and by number, and the feed knows how far', () => {
    store.commit({ ...nothing, events: [1, 2, 3, 4, 5].map((n) => event(n)), sequence: 5 });
    expect(store.purgeEvents(1002, 99)).toBe(1);
    expect(store.eventBounds()).toEqual({ droppedThrough: 1, newest: 5 });
    expect(store.purgeEvents(0, 2)).toBe(2);
    expect(store.eventBounds().droppedThrough).toBe(3);
    expect(store.purgeEvents(0, 2)).toBe(0);
    expect(store.eventsAfter(0, { managed: false }, 9).map(({ sequence }) => sequence)).toEqual([4, 5]);
    expect(store.purgeEvents(9999, 2)).toBe(2);
    expect(store.eventBounds()).toEqual({ droppedThrough: 5, newest: 5 });
  });

  test('baselines go when nobody has learned from them for long, and the longest unused beyond a number', () => {
    const learn = (key: string, wallMs: number): void =>
      store.commit({
        ...nothing,
        baselines: [{ key, saved: { key } as unknown as SavedBaseline }],
        clocks: { wallMs, bootMs: 1 },
      });
    for (const [n, key] of ['a', 'b', 'c', 'd'].entries()) learn(key, 1000 + n);
    learn('a', 2000);
    expect(store.purgeBaselines(1002, 99)).toEqual(['b']);
    expect(store.purgeBaselines(0, 2)).toEqual(['c']);
    expect(store.purgeBaselines(0, 2)).toEqual([]);
    expect(
      store
        .load()
        .baselines.map(({ key }) => key)
        .sort(),
    ).toEqual(['a', 'd']);
    store.shrink();
  });

  test('the clocks of the last commit are kept, those of one that says nothing stay', () => {
    expect(store.load().clocks).toBeUndefined();
    const clocks = { wallMs: 5, bootMs: 6, bootId: 'run' };
    store.commit({ ...nothing, clocks });
    store.commit({ ...nothing, lazy: true });
    expect(store.load().clocks).toEqual(clocks);
  });

  test('registered endpoints are kept; one that is dropped leaves dead letters and no state', () => {
    const stored = {
      id: 'a',
      url: 'https://a.example/',
      secrets: [{ secret: 'whsec_x', untilMs: null }],
      match: { parent: 'p' },
      createdAtMs: 1,
    };
    store.saveEndpoint({ ...stored, url: 'https://old.example/' });
    store.saveEndpoint(stored);
    expect(store.endpoints()).toEqual([stored]);
    queue(delivery('e1'), delivery('e1', { endpointId: 'b' }));
    store.saveEndpointState({ endpointId: 'a', status: 'paused', failingSinceMs: 3, changedAtMs: 3 });
    expect(store.dropEndpoint('a', error)).toBe(1);
    expect(store.endpoints()).toEqual([]);
    expect(store.endpointStates()).toEqual([]);
    expect(store.delivery('e1', 'a')).toMatchObject({ state: 'dead', lastError: error });
    expect(store.delivery('e1', 'b')).toMatchObject({ state: 'pending' });
  });

  test('what operators did is kept as it was said, the newest first, in pages and by what it was about', () => {
    store.commit({
      ...nothing,
      audit: [audited('one'), audited('two', { turn: 't2', action: 'turn.close' })],
    });
    store.commit({
      ...nothing,
      audit: [
        audited('three', { turn: 't3', baseline: 'a|b|text', action: 'baseline.exclude', requestId: null }),
      ],
    });
    const whys = (...args: Parameters<TurnStore['audit']>): unknown[] =>
      store.audit(...args).map(({ why }) => why);
    expect(whys({}, undefined, 10)).toEqual(['three', 'two', 'one']);
    expect(store.audit({ turn: 't1' }, undefined, 10)).toEqual([{ ...audited('one'), id: 1 }]);
    expect(whys({ action: 'turn.close' }, undefined, 10)).toEqual(['two']);
    expect(whys({}, undefined, 2)).toEqual(['three', 'two']);
    expect(whys({}, 2, 2)).toEqual(['one']);
    expect([store.purgeAudit(2), whys({}, undefined, 10)]).toEqual([1, ['three', 'two']]);
    expect(store.purgeAudit(0)).toBe(2);
    store.commit({ ...nothing, audit: [audited('four')] });
    expect(store.audit({}, undefined, 1)).toMatchObject([{ id: 4 }]);
    // What programs do to endpoints makes no room for itself among the orders of operators.
    for (let n = 0; n < 5; n++)
      store.commit({ ...nothing, audit: [audited(`r${n}`, { turn: null, action: 'endpoint.change' })] });
    expect([store.purgeAudit(1), whys({}, undefined, 10)]).toEqual([4, ['r4', 'four']]);
  });
});
