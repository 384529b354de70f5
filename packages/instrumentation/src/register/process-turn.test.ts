import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { startTurn } from '../instrumentation.ts';
import type { Turn } from '../turn.ts';
import { ProcessTurn } from './process-turn.ts';

function followed() {
  const host = new EventEmitter();
  const turns: Turn[] = [];
  const whole = new ProcessTurn(host, () => {
    const turn = startTurn();
    turns.push(turn);
    return turn;
  });
  return { host, turns, whole };
}

it('is one turn, begun with the first question and ended with the process', () => {
  const { host, turns, whole } = followed();
  expect(turns).toEqual([]);
  expect(whole.get()).toBe(whole.get());
  expect(turns).toHaveLength(1);
  expect(whole.get().isOpen).toBe(true);
  host.emit('exit', 0);
  expect(turns[0]?.isOpen).toBe(false);
});

it('begins anew in a process that goes on after it ran out of work', () => {
  const { host, turns, whole } = followed();
  whole.get();
  host.emit('beforeExit', 0);
  expect(turns[0]?.isOpen).toBe(false);
  expect(whole.get().isOpen).toBe(true);
  expect(host.listenerCount('exit')).toBe(1);
  host.emit('exit', 1);
  expect(turns.map(({ isOpen }) => isOpen)).toEqual([false, false]);
});

it('ends before anybody says goodbye for the process', () => {
  const { host, turns, whole } = followed();
  let wasOpen: boolean | undefined;
  host.on('exit', () => {
    wasOpen = turns[0]?.isOpen;
  });
  whole.get();
  host.emit('exit', 0);
  expect(wasOpen).toBe(false);
});
