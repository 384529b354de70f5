import { describe, expect, test } from 'vitest';
import { aHappening, anEnd, anOrigin, aProcessBeat, aSignal, at, bootZeroMs, s } from '../fixtures/given.ts';
import { freesLoop, hear, newProcess, processView, tell, unreachableAfterMs } from './liveness.ts';
import { makePolicy } from './policy.ts';
import type { Origin } from './signal.ts';

const known = (over: Partial<Origin> = {}) => {
  const process = newProcess(anOrigin(over), 'direct', at(0));
  hear(process, anOrigin(over), 'direct', at(0));
  return process;
};

describe('a newer record is a sign of life', () => {
  test('it clears unreachability and an announced suspend', () => {
    const process = known();
    process.unreachable = true;
    process.suspendedUntilMs = 1e12;
    expect(hear(process, anOrigin({ seq: 3 }), 'relay', at(9))).toEqual({ fresh: true, replaced: false });
    expect(process).toMatchObject({
      unreachable: false,
      heardAwakeMs: s(9),
      path: 'relay',
      seq: 3,
      suspendedUntilMs: Number.NEGATIVE_INFINITY,
    });
  });

  test('a doubled or late one proves nothing', () => {
    const process = known();
    expect(hear(process, anOrigin({ seq: 2 }), 'direct', at(9)).fresh).toBe(false);
    expect(hear(process, anOrigin({ seq: 1 }), 'direct', at(9)).fresh).toBe(false);
    expect(process.heardAwakeMs).toBe(0);
  });
});

describe('a newer boot of a pinned id proves the exit of the older one', () => {
  test('records of the old boot are ignored from then on', () => {
    const process = known();
    process.exited = true;
    process.loopAgeMs = 9;
    expect(hear(process, anOrigin({ boot: 'b2', seq: 1 }), 'direct', at(5))).toEqual({
      fresh: true,
      replaced: true,
    });
    expect(process).toMatchObject({ boot: 'b2', oldBoots: ['b1'], seq: 1, exited: false, loopAgeMs: 0 });
    expect(hear(process, anOrigin({ seq: 99 }), 'direct', at(6))).toEqual({ fresh: false, replaced: false });
  });

  test('a producer without heartbeats names no boot: the first that does is its boot', () => {
    const process = newProcess(anOrigin({ boot: '' }), 'direct', at(0));
    expect(hear(process, anOrigin({ boot: 'b1' }), 'direct', at(1))).toEqual({
      fresh: true,
      replaced: false,
    });
    expect(process).toMatchObject({ boot: 'b1', oldBoots: [] });
  });

  test('eight old boots are remembered', () => {
    const process = known();
    for (let i = 2; i <= 20; i++) hear(process, anOrigin({ boot: `b${i}`, seq: 1 }), 'direct', at(i));
    expect(process.oldBoots).toEqual(['b12', 'b13', 'b14', 'b15', 'b16', 'b17', 'b18', 'b19']);
  });
});

describe('what a process says about itself', () => {
  test('a heartbeat', () => {
    const process = known();
    tell(process, aProcessBeat({}, { loopAgeMs: 7, hostClass: 'portable', service: 'worker' }), at(1));
    expect(process).toMatchObject({ worker: true, hostClass: 'portable', loopAgeMs: 7, service: 'worker' });
    tell(process, aProcessBeat({}, { name: 'started' }), at(1));
    expect(process).toMatchObject({ hostClass: 'server', loopAgeMs: 0, service: 'worker' });
  });

  test('an announced suspend holds for 12 h of the boot clock', () => {
    const process = known();
    tell(process, { type: 'process', origin: anOrigin(), name: 'suspending' }, at(10));
    expect(process.suspendedUntilMs).toBe(bootZeroMs + s(10 + 12 * 3600));
  });

  test('an exit of its own; that of another is not its own', () => {
    const process = known();
    tell(process, { type: 'process', origin: anOrigin(), name: 'exited', exited: 'p2' }, at(1));
    expect(process.exited).toBe(false);
    tell(process, { type: 'process', origin: anOrigin(), name: 'exiting' }, at(1));
    expect(process.exited).toBe(true);
  });
});

describe('only the main loop makes a record that is no heartbeat: it is free', () => {
  const blocked = () => ({ ...known(), loopAgeMs: s(700) });

  test.each([
    ['a start', aSignal({ happening: { name: 'started' } })],
    ['a step', aHappening({ name: 'step' })],
    ['an end', anEnd('completed', 9)],
  ])('%s', (_, signal) => {
    const process = blocked();
    expect(freesLoop(process, signal)).toBe(true);
    expect(process.loopAgeMs).toBe(0);
  });

  test('a heartbeat of a turn comes from the worker', () => {
    const process = blocked();
    expect(freesLoop(process, aSignal())).toBe(false);
    expect(process.loopAgeMs).toBe(s(700));
  });

  test('one that is free already is not freed', () => {
    expect(freesLoop(known(), aSignal({ happening: { name: 'started' } }))).toBe(false);
  });
});

describe('how long a process may be silent', () => {
  test.each([
    ['server with a worker', 'server', true, 60],
    ['portable host', 'portable', true, 600],
    ['no worker beats', 'server', false, 600],
    ['neither', 'portable', false, 600],
  ] as const)('%s: %i s', (_, hostClass, worker, seconds) => {
    const process = { ...known(), hostClass, worker };
    expect(unreachableAfterMs(process, makePolicy())).toBe(s(seconds));
  });

  test('before its own heartbeat the patient assumption holds', () => {
    expect(unreachableAfterMs(newProcess(anOrigin(), 'direct', at(0)), makePolicy())).toBe(s(600));
  });
});

test('a process as people see it', () => {
  const process = known();
  process.turns.add('T');
  const view = {
    id: 'p1',
    boot: 'b1',
    service: null,
    path: 'direct',
    hostClass: 'server',
    beats: true,
    worker: false,
    heardAgoMs: s(5),
    loopAgeMs: 0,
    openTurns: 1,
    state: 'live',
  };
  expect(processView(process, at(5))).toEqual(view);
  expect(processView({ ...process, suspendedUntilMs: bootZeroMs + s(6) }, at(5)).state).toBe('suspended');
  expect(processView({ ...process, unreachable: true }, at(5)).state).toBe('unreachable');
  expect(processView({ ...process, unreachable: true, exited: true }, at(5)).state).toBe('exited');
});
