import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SavedBaseline, SavedRest, SavedTurn } from '@turnwatch/core';
import type { DeliveryRow, NewDelivery } from '@turnwatch/webhook/send';
import { supersedes, turnStateTypes } from '@turnwatch/webhook/send';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MemoryStore } from './memory-store.ts';
import { SqliteStore } from './sqlite-store.ts';
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
    expect(store.load()).toEqual({ turns: [], baselines: [], awakeMs: 0, sequence: 0 });
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
      rest: rest('r'),
      awakeMs: 6,
      sequence: 2,
    });
  });

  test('drops forgotten turns', () => {
    store.commit({ ...nothing, turns: [{ id: 't1', saved: turn('a') }] });
    store.commit({ ...nothing, forgottenTurns: ['t1'] });
    expect(store.load().turns).toEqual([]);
  });

  test('one event for one endpoint is one row, however often it is committed', () => {
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
    expect(store.purgeDeliveries(1000)).toBe(0);
    expect(store.purgeDeliveries(1200)).toBe(1);
    expect(store.attemptsOf('done')).toEqual([]);
    expect(store.due('a', 1000, 9).map((row) => row.id)).toEqual(['open']);
  });
});
