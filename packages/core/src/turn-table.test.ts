import { describe, expect, test } from 'vitest';
import { aTurn, at } from '../fixtures/given.ts';
import type { Turn } from './turn.ts';
import { TurnTable } from './turn-table.ts';

const servedBy = (engineId: string | undefined, over: Partial<Turn> = {}): Turn =>
  aTurn({ identity: engineId === undefined ? {} : { engineId }, ...over });
const ended: Partial<Turn> = { verdict: { state: 'ended', outcome: 'completed', atMs: 1 } };

function tableWith(...states: readonly Turn[]): TurnTable {
  const table = new TurnTable();
  for (const turn of states) table.put(table.get(turn.id), turn, at(0));
  return table;
}

test('an engine serves its open turns, each as it is now', () => {
  const newest = servedBy('e1', { seq: 2 });
  const other = servedBy('e1', { id: 'U' });
  expect([...tableWith(servedBy('e1'), other, newest).ofEngine('e1')]).toEqual([newest, other]);
});

test.each<[string, Turn]>([
  ['goes to another engine', servedBy('e2')],
  ['no longer names one', servedBy(undefined)],
  ['settles', servedBy('e1', ended)],
  ['goes to another engine with its end', servedBy('e2', ended)],
])('a turn that %s leaks nothing into the first', (_, after) => {
  const other = servedBy('e1', { id: 'U' });
  expect([...tableWith(servedBy('e1'), after).ofEngine('e1')]).toEqual([]);
  expect([...tableWith(servedBy('e1'), other, after).ofEngine('e1')]).toEqual([other]);
  const table = tableWith(servedBy('e1'), after);
  table.put(after, { ...after, ...ended }, at(0));
  expect([...table.ofEngine('e2')]).toEqual([]);
});

describe('what is drained', () => {
  const stale = { state: 'stale' } as Turn['verdict'];
  const drained = (table: TurnTable, visit: (id: string) => void = () => undefined): string[] => {
    const order: string[] = [];
    table.touchDue(at(0));
    table.drain((id) => {
      order.push(id);
      visit(id);
      return 1;
    });
    return order;
  };

  test('stale turns are judged first: one that recovers answers for the call of its parent again', () => {
    const table = tableWith(
      aTurn({ id: 'parent' }),
      aTurn({ id: 'kid', verdict: stale }),
      aTurn({ id: 'other' }),
      aTurn({ id: 'kid2', verdict: stale }),
    );
    table.touchEvery();
    expect(drained(table)).toEqual(['kid', 'kid2', 'parent', 'other']);
    expect(drained(table)).toEqual([]);
  });

  test('what a visit touches is judged in the same drain, stale ones still first', () => {
    const table = tableWith(
      aTurn({ id: 'kid', verdict: stale }),
      aTurn({ id: 'parent' }),
      aTurn({ id: 'grand', verdict: stale }),
    );
    table.touchAll(['kid']);
    const touches: Record<string, string> = { kid: 'parent', parent: 'grand' };
    expect(
      drained(table, (id) => {
        const next = touches[id];
        if (next !== undefined) table.touch(next);
      }),
    ).toEqual(['kid', 'parent', 'grand']);
  });

  test('each is visited once, though it became stale meanwhile', () => {
    const table = tableWith(aTurn({ id: 'a' }), aTurn({ id: 'b' }));
    table.touchEvery();
    expect(
      drained(table, (id) => {
        const turn = table.get(id);
        if (turn !== undefined) table.put(turn, { ...turn, verdict: stale }, at(0));
      }),
    ).toEqual(['a', 'b']);
  });

  test('so many at the most, in the order of all; what is touched meanwhile comes behind, stale ones before', () => {
    const table = tableWith(
      ...['a', 'b', 'c'].map((id) => aTurn({ id })),
      aTurn({ id: 'z', verdict: stale }),
    );
    table.touchAll(['a', 'b', 'c']);
    const order: string[] = [];
    const slice = (most?: number): boolean => table.drain((id) => order.push(id) / order.length, most);
    expect([slice(2), order]).toEqual([false, ['a', 'b']]);
    table.touchAll(['a', 'z']);
    expect([slice(2), order.slice(2)]).toEqual([false, ['z', 'c']]);
    expect([slice(1), order.slice(4)]).toEqual([true, ['a']]);
    expect(slice(0)).toBe(true);
  });

  test('one that is touched and no longer known is visited too', () => {
    const table = tableWith();
    table.touch('nobody');
    expect(drained(table)).toEqual(['nobody']);
  });
});
