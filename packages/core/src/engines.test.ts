import { describe, expect, test } from 'vitest';
import { anOrigin } from '../fixtures/given.ts';
import { Engines, movementFor } from './engines.ts';
import type { EngineSignal, EngineSlot } from './signal.ts';

const sample = (slots: readonly EngineSlot[], over: Partial<EngineSignal> = {}): EngineSignal => ({
  type: 'engine',
  origin: anOrigin(),
  engine: 'e1',
  state: 'busy',
  slots,
  queued: 0,
  ...over,
});
const slot = (over: Partial<EngineSlot> = {}): EngineSlot => ({ id: 0, read: 0, generated: 0, ...over });

function second(first: readonly EngineSlot[], next: readonly EngineSlot[], over: Partial<EngineSignal> = {}) {
  const engines = new Engines();
  engines.sample(sample(first));
  return engines.sample(sample(next, over));
}

describe('a sign of life is a counter that moved, and nothing else (report 000)', () => {
  test.each([
    ['read moved', [slot({ read: 5 })], [slot({ read: 6 })], true],
    ['generated moved', [slot({ generated: 5 })], [slot({ generated: 6 })], true],
    ['a counter that stands', [slot({ read: 5 })], [slot({ read: 5 })], false],
    ['a new slot of nobody', [], [slot({ read: 5 })], false],
    ['a new slot of a turn that has read', [], [slot({ turn: 'A', read: 5 })], true],
    ['a new slot of a turn at zero', [], [slot({ turn: 'A' })], false],
    ['a slot that changes hands', [slot({ turn: 'A', read: 9 })], [slot({ turn: 'B', read: 9 })], true],
    ['a slot that nobody claims any more', [slot({ turn: 'A', read: 9 })], [slot({ read: 12 })], false],
    ['no slots at all', [slot({ read: 5 })], [], false],
  ] as const)('%s', (_, first, next, any) => {
    expect(second(first, next).any).toBe(any);
  });

  test.each(['idle', 'unloaded', 'unreachable'] as const)(
    '%s is nothing, whatever its numbers say',
    (state) => {
      expect(second([slot({ read: 5 })], [slot({ read: 9 })], { state, queued: 3 })).toMatchObject({
        any: false,
        queued: false,
      });
    },
  );

  test('each engine has counters of its own', () => {
    const engines = new Engines();
    engines.sample(sample([slot({ read: 5 })]));
    expect(engines.sample(sample([slot({ read: 6 })], { engine: 'e2' })).any).toBe(false);
  });

  test('who looks at the same engine and sees it otherwise makes nothing move', () => {
    const engines = new Engines();
    const seen = (process: string, slots: readonly EngineSlot[]): boolean =>
      engines.sample(sample(slots, { origin: anOrigin({ process }) })).any;
    const own = [slot({ turn: 'A', read: 5 })];
    const totals = [slot({ read: 900 })];
    expect(seen('agent', own)).toBe(true);
    for (let look = 0; look < 3; look++) {
      expect(seen('beside', totals)).toBe(false);
      expect(seen('agent', own)).toBe(false);
    }
    expect(seen('beside', [slot({ read: 901 })])).toBe(true);
  });

  test('of the many who ever looked only the latest are remembered', () => {
    const engines = new Engines();
    for (let process = 0; process < 40; process++)
      engines.hear(sample([], { origin: anOrigin({ process: `p${process}` }) }), 0);
    expect(engines.save()).toHaveLength(16);
  });

  test('counters outlive a restart', () => {
    const engines = new Engines();
    engines.sample(sample([slot({ read: 5 })]));
    engines.sample(sample([slot({ read: 5 })], { origin: anOrigin({ process: 'p2' }) }));
    const restored = new Engines();
    restored.restore(JSON.parse(JSON.stringify(engines.save())), 0);
    expect(restored.sample(sample([slot({ read: 6 })])).any).toBe(true);
  });
});

describe('what a movement means for one turn', () => {
  const movedSlots = (next: readonly EngineSlot[], queued = 0) =>
    second(
      next.map((each) => ({ ...each, read: 0 })),
      next,
      { queued },
    );

  test.each([
    ['its own slot', [slot({ turn: 'A', read: 1 })], 0, { own: true, wide: false, queued: false }],
    ['a slot of nobody, it may be any', [slot({ read: 1 })], 0, { own: false, wide: true, queued: false }],
    ['a slot of another turn', [slot({ turn: 'B', read: 1 })], 0, { own: false, wide: false, queued: false }],
    ['it waits, another works', [slot({ turn: 'B', read: 1 })], 1, { own: false, wide: true, queued: true }],
    ['it waits, nothing moves', [slot({ turn: 'B', read: 0 })], 1, { own: false, wide: false, queued: true }],
    [
      'it runs in a slot: others are nothing to it',
      [slot({ turn: 'A', read: 0 }), slot({ id: 1, read: 1 })],
      1,
      { own: false, wide: false, queued: false },
    ],
  ] as const)('%s', (_, slots, queued, meaning) => {
    expect(movementFor('A', movedSlots(slots, queued))).toEqual(meaning);
  });
});

describe('an engine that nobody speaks of any more', () => {
  const idle = (engine: string): EngineSignal => sample([], { engine, state: 'idle' });
  const none = (): boolean => false;

  test('is forgotten after ten minutes, unless it serves an open turn', () => {
    const engines = new Engines();
    for (const engine of ['e1', 'e2', 'e3']) engines.hear(idle(engine), 0);
    engines.forgetIdle(599_999, none);
    expect(engines.ids()).toEqual(['e1', 'e2', 'e3']);
    engines.hear(idle('e2'), 599_999);
    engines.forgetIdle(600_000, (engine) => engine === 'e3');
    expect(engines.ids()).toEqual(['e2', 'e3']);
    expect(engines.save().map(({ engine }) => engine)).toEqual(['e2', 'e3']);
  });

  test('is known again after a restart, for ten minutes from there', () => {
    const engines = new Engines();
    engines.hear(idle('e1'), 0);
    const restored = new Engines();
    restored.restore(engines.save(), 5_000_000);
    restored.forgetIdle(5_599_999, none);
    expect(restored.ids()).toEqual(['e1']);
    restored.forgetIdle(5_600_000, none);
    expect(restored.ids()).toEqual([]);
  });

  test('has not moved because it was idle in between', () => {
    const engines = new Engines();
    const busy = sample([slot({ read: 5 })]);
    engines.hear(busy, 0);
    engines.sample(busy);
    engines.hear(idle('e1'), 1000);
    expect(engines.sample(busy).any).toBe(false);
  });
});
