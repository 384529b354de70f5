import { expect, test } from 'vitest';
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
