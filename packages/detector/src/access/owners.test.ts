import type { EngineSignal, ProcessSignal, Signal } from '@turnwatch/core';
import { describe, expect, test } from 'vitest';
import { ScriptedAgent } from '../testing/scripted-agent.ts';
import { Owners } from './owners.ts';

const limits = { maxTurns: 100, maxTurnsPerOwner: 50 };
const fresh = (): Owners => new Owners([], [], limits);
const said = (turn: string): Signal => new ScriptedAgent(turn).says({ name: 'started' });
const origin = (process: string, boot = 'boot-1') => ({ process, boot, seq: 1, a: 1 });
const exited = (by: string, process: string): ProcessSignal => ({
  type: 'process',
  name: 'exited',
  origin: origin(by),
  exited: process,
});

describe('an owner', () => {
  test('keeps others from its turns and processes, and shares them with nobody', () => {
    const owners = fresh();
    expect(owners.admit(said('t'), 'a')).toBeUndefined();
    expect(owners.admit(said('t'), 'b')).toBe('not_owner');
    expect(owners.admit(new ScriptedAgent('t').beat(), 'b')).toBe('not_owner');
    expect(owners.admit(exited('supervisor', 'process-of-t'), 'b')).toBe('not_owner');
    expect(owners.admit(said('t'), 'a')).toBeUndefined();
    expect(owners.admit(exited('supervisor', 'process-of-t'), 'a')).toBeUndefined();
  });

  test('cannot be robbed by a turn in a process of its own name', () => {
    const owners = fresh();
    owners.admit(said('t'), 'a');
    const forged = { ...new ScriptedAgent('mine').says({ name: 'started' }), origin: origin('process-of-t') };
    expect(owners.admit(forged, 'b')).toBe('not_owner');
    // Nothing of a refused record is claimed.
    expect(owners.admit(said('mine'), 'c')).toBeUndefined();
  });

  test('owns the engine that it speaks for', () => {
    const owners = fresh();
    const busy: EngineSignal = {
      type: 'engine',
      engine: 'llama',
      origin: origin('probe'),
      state: 'busy',
      slots: [],
      queued: 0,
    };
    expect(owners.admit(busy, 'a')).toBeUndefined();
    expect(owners.admit({ ...busy, origin: origin('other') }, 'b')).toBe('not_owner');
  });

  test('does not own a process because it tells of its end', () => {
    const owners = fresh();
    expect(owners.admit(exited('supervisor', 'p'), 'a')).toBeUndefined();
    expect(owners.ownerOf('process', 'p')).toBeUndefined();
  });

  test('of plain producers, which have no boot, owns their turns only: a service has many tokens', () => {
    const owners = fresh();
    const plain = (turn: string): Signal => ({
      ...new ScriptedAgent(turn).says({ name: 'started' }),
      origin: origin('checkout', ''),
    });
    expect(owners.admit(plain('t1'), 'a')).toBeUndefined();
    expect(owners.admit(plain('t2'), 'b')).toBeUndefined();
    expect(owners.admit(plain('t1'), 'b')).toBe('not_owner');
  });
});

test('what was there before tokens were belongs to the first who speaks for it', () => {
  const owners = new Owners([], ['old'], limits);
  expect(owners.admit(said('old'), 'a')).toBeUndefined();
  expect(owners.admit(said('old'), 'b')).toBe('not_owner');
});

test('without tokens everybody may change everything, and nothing is kept', () => {
  const owners = new Owners([{ kind: 'turn', id: 't', owner: 'a' }], ['t'], limits);
  expect(owners.admit(said('t'), undefined)).toBeUndefined();
  expect(owners.admit(said('new'), undefined)).toBeUndefined();
  expect(owners.ownerOf('turn', 't')).toBe('a');
  expect(owners.pending).toEqual({ claimed: [], released: [] });
});

test('what is pending is what has changed since it was kept last', () => {
  const owners = fresh();
  owners.admit(said('t'), 'a');
  expect(owners.pending.claimed).toEqual([
    { kind: 'turn', id: 't', owner: 'a' },
    { kind: 'process', id: 'process-of-t', owner: 'a' },
  ]);
  owners.kept();
  owners.admit(said('t'), 'a');
  expect(owners.pending.claimed).toEqual([]);
  owners.forget('turn', ['t', 'unknown']);
  owners.keepOnly('process', []);
  expect(owners.pending.released).toEqual([
    { kind: 'turn', id: 't' },
    { kind: 'process', id: 'process-of-t' },
  ]);
  owners.admit(said('t'), 'b');
  expect(owners.pending.released).toEqual([]);
});

describe('made-up turns', () => {
  test('are refused beyond the owner limit, and others are let in', () => {
    const owners = new Owners([], [], { maxTurns: 100, maxTurnsPerOwner: 3 });
    const taken = Array.from({ length: 10 }, (_, n) => owners.admit(said(`t${n}`), 'a'));
    expect(taken.filter((why) => why === undefined)).toHaveLength(3);
    expect(taken[9]).toBe('too_many');
    expect(owners.admit(said('t0'), 'a')).toBeUndefined();
    expect(owners.admit(said('theirs'), 'b')).toBeUndefined();
  });

  test('are refused beyond the limit of all, with or without tokens', () => {
    const owners = new Owners([], [], { maxTurns: 2, maxTurnsPerOwner: 100 });
    expect(owners.crowded).toBe(false);
    for (const turn of ['t0', 't1']) expect(owners.admit(said(turn), undefined)).toBeUndefined();
    expect(owners.crowded).toBe(true);
    expect(owners.admit(said('t2'), undefined)).toBe('too_many');
    owners.forget('turn', ['t0']);
    owners.keepOnly('process', ['process-of-t1']);
    expect(owners.admit(said('t2'), undefined)).toBeUndefined();
    expect(owners.sizes).toEqual({ turn: 2, process: 2, engine: 0 });
  });
});
