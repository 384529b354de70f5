import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { startTurn } from '../index.ts';
import { WaitingTurns } from './waiting-turns.ts';

it('a process that runs out of work ends the turns that wait, before anyone else hears of it', () => {
  const process = new EventEmitter();
  const turn = startTurn();
  const heard: boolean[] = [];
  process.on('beforeExit', () => heard.push(turn.isOpen));
  const waiting = new WaitingTurns(process);
  waiting.set('t1', { turn });
  process.emit('beforeExit');
  expect(heard).toEqual([false]);
  expect(waiting.take('t1')).toBeUndefined();
  expect(process.listenerCount('beforeExit')).toBe(1);
});

it('leaves no listener behind when none waits any more, and gives no turn that has ended', () => {
  const process = new EventEmitter();
  const waiting = new WaitingTurns(process);
  const [open, ended] = [{ turn: startTurn() }, { turn: startTurn() }];
  waiting.set('open', open);
  waiting.set('ended', ended);
  expect(process.listenerCount('beforeExit')).toBe(1);
  ended.turn.end();
  expect([waiting.take('open'), waiting.take('ended'), waiting.take('none')]).toEqual([
    open,
    undefined,
    undefined,
  ]);
  expect(process.listenerCount('beforeExit')).toBe(0);
  open.turn.end();
});
