import type { EngineSignal, EngineSlot } from '@turnwatch/core';
import { expect, test } from 'vitest';
import { EngineMeter } from './engine-meter.ts';

const engine = (slots: readonly EngineSlot[], over: Partial<EngineSignal> = {}): EngineSignal => ({
  type: 'engine',
  origin: { process: 'probe', boot: 'b', seq: 1, a: 0 },
  engine: 'local',
  state: 'busy',
  slots,
  queued: 0,
  ...over,
});
const none = { read: 0, readingMs: 0, generated: 0, generatingMs: 0 };

test('what slots read and generate between two samples, and for how long', () => {
  const meter = new EngineMeter();
  expect(meter.sample(engine([{ id: 0, turn: 'a', read: 500, generated: 0 }]), 0)).toEqual(none);
  expect(meter.sample(engine([{ id: 0, turn: 'a', read: 1500, generated: 0 }]), 2000)).toEqual({
    ...none,
    read: 1000,
    readingMs: 2000,
  });
  expect(meter.sample(engine([{ id: 0, turn: 'a', read: 1500, generated: 40 }]), 3000)).toEqual({
    ...none,
    generated: 40,
    generatingMs: 1000,
  });
});

test('a new request in a slot begins at zero, a slot that was not seen before says nothing yet', () => {
  const meter = new EngineMeter();
  meter.sample(engine([{ id: 0, turn: 'a', read: 9000, generated: 10 }]), 0);
  const step = meter.sample(
    engine([
      { id: 0, turn: 'b', read: 300, generated: 0 },
      { id: 1, turn: 'c', read: 800, generated: 0 },
    ]),
    1000,
  );
  expect(step).toEqual({ ...none, read: 300, readingMs: 1000 });
});

test('samples that are far apart are no measure of a speed', () => {
  const meter = new EngineMeter();
  meter.sample(engine([{ id: 0, read: 0, generated: 0 }]), 0);
  expect(meter.sample(engine([{ id: 0, read: 5000, generated: 0 }]), 11_000)).toEqual(none);
});

test('engines by state, all that waits; one that is no longer heard of is left out', () => {
  const meter = new EngineMeter();
  meter.sample(engine([], { engine: 'old', queued: 7 }), 0);
  meter.sample(engine([], { engine: 'a', queued: 2 }), 50_000);
  meter.sample(engine([], { engine: 'b', state: 'unreachable', queued: 1 }), 50_000);
  expect(meter.now(60_001)).toEqual({ states: { idle: 0, busy: 1, unloaded: 0, unreachable: 1 }, queued: 3 });
});

test('engines that are made up do not grow it for ever', () => {
  const meter = new EngineMeter();
  for (let n = 0; n < 3000; n++) meter.sample(engine([], { engine: `e${n}`, queued: 1 }), 0);
  expect(meter.now(0).queued).toBe(1000);
});

test('two probes of one engine are not twice the tokens', () => {
  const meter = new EngineMeter();
  const other = { origin: { process: 'other', boot: 'b', seq: 1, a: 0 } };
  meter.sample(engine([{ id: 0, turn: 'a', read: 0, generated: 0 }]), 0);
  meter.sample(engine([{ id: 0, turn: 'a', read: 400, generated: 0 }], other), 500);
  expect(meter.sample(engine([{ id: 0, turn: 'a', read: 800, generated: 0 }]), 1000).read).toBe(800);
  expect(meter.sample(engine([{ id: 0, turn: 'a', read: 900, generated: 0 }], other), 1500).read).toBe(0);
});
