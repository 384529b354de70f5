import { describe, expect, it } from 'vitest';
import { MemoryEventStore } from './event-store.ts';
import type { WebhookEvent } from './events.generated.ts';
import { Recent } from './recent.ts';

describe('w203: memory is bounded', () => {
  it('in number: the least recently set goes first', () => {
    const recent = new Recent<number>(3, 1000);
    for (const key of ['a', 'b', 'c']) recent.set(key, 1, 0);
    recent.set('a', 2, 1);
    recent.set('d', 1, 2);
    expect(['a', 'b', 'c', 'd'].map((key) => recent.get(key, 2))).toEqual([2, undefined, 1, 1]);
    expect(recent.size).toBe(3);
  });

  it('in age: old entries are neither found nor kept', () => {
    const recent = new Recent<number>(100, 1000);
    for (let i = 0; i < 50; i++) recent.set(`k${i}`, i, i);
    expect(recent.get('k0', 1000)).toBe(0);
    expect(recent.get('k0', 1001)).toBeUndefined();
    recent.set('new', 1, 2000);
    expect(recent.size).toBe(1);
  });

  it('holds at most 10,000 ids', () => {
    const store = new MemoryEventStore(() => 0);
    for (let i = 0; i <= 10_000; i++) store.accept({ id: `evt_${i}` } as WebhookEvent);
    const isNew = (id: string): boolean => store.accept({ id } as WebhookEvent);
    expect(['evt_10000', 'evt_1', 'evt_0'].map(isNew)).toEqual([false, false, true]);
  });
});
