import { describe, expect, it } from 'vitest';
import { createReceiver, type EventStore, type Receiver, type WebhookEvent } from '../receive.ts';
import { generateSecret, sign } from '../sign.ts';
import { eventId, recoveredEvent, type SampleEvent, staleEvent } from './sample-events.ts';

const secret = generateSecret();

/** What a database would keep, without one. */
class TableStore implements EventStore {
  readonly rows = new Map<string, { event: WebhookEvent; handled: boolean }>();

  accept(event: WebhookEvent): boolean {
    if (this.rows.has(event.id)) return false;
    this.rows.set(event.id, { event, handled: false });
    return true;
  }

  handled(id: string): void {
    const row = this.rows.get(id);
    if (row !== undefined) row.handled = true;
  }

  unhandled(): readonly WebhookEvent[] {
    return [...this.rows.values()].filter(({ handled }) => !handled).map(({ event }) => event);
  }
}

async function post(receiver: Receiver, event: SampleEvent): Promise<[number, string]> {
  const body = JSON.stringify(event);
  const timestampS = Math.floor(Date.now() / 1000);
  let done: Promise<unknown> = Promise.resolve();
  const response = await receiver.fetch(
    new Request('https://parent.example/', {
      method: 'POST',
      body,
      headers: {
        'webhook-id': event.id,
        'webhook-timestamp': String(timestampS),
        'webhook-signature': sign({ id: event.id, timestampS, body, secrets: secret }),
      },
    }),
    {
      waitUntil: (promise) => {
        done = promise;
      },
    },
  );
  await done;
  return [response.status, ((await response.json()) as { status: string }).status];
}

describe('a store of one’s own', () => {
  it('has the event before the 202, and knows that it was handled after the handler', async () => {
    const store = new TableStore();
    const states: (boolean | undefined)[] = [];
    const receiver = createReceiver({
      secret,
      store,
      onStale: ({ id }) => void states.push(store.rows.get(id)?.handled),
    });
    expect(await post(receiver, staleEvent(1))).toEqual([202, 'accepted']);
    expect([states, store.rows.get(eventId(1))?.handled]).toEqual([[false], true]);
  });

  it('what the process before left is run at the start, in order, before anything new; doubles of it are not', async () => {
    const store = new TableStore();
    for (const event of [staleEvent(1), { ...staleEvent(2), subject: 'turn_2' }])
      store.accept(event as unknown as WebhookEvent);
    const seen: string[] = [];
    const receiver = createReceiver({ secret, store, onEvent: ({ id }) => void seen.push(id) });
    const [double, fresh] = await Promise.all([
      post(receiver, staleEvent(1)),
      post(receiver, { ...staleEvent(3), subject: 'turn_3' }),
    ]);
    expect([double[1], fresh[1]]).toEqual(['duplicate', 'accepted']);
    expect(await receiver.recovered()).toBe(2);
    expect(seen).toEqual([1, 2, 3].map(eventId));
    expect(receiver.stats()).toMatchObject({ recovered: 2, accepted: 1, duplicates: 1 });
    expect(store.unhandled()).toEqual([]);
  });

  it('a handler that threw is run again by the next process, and by this one no more', async () => {
    const store = new TableStore();
    const errors: unknown[] = [];
    const broken = createReceiver({
      secret,
      store,
      onStale: () => {
        throw new Error('no agent there');
      },
      onError: (error) => void errors.push(error),
    });
    expect((await post(broken, staleEvent(1)))[0]).toBe(202);
    expect((await post(broken, staleEvent(1)))[1]).toBe('duplicate');
    expect(errors).toHaveLength(1);
    const seen: string[] = [];
    const mended = createReceiver({ secret, store, onStale: ({ id }) => void seen.push(id) });
    expect([await mended.recovered(), seen]).toEqual([1, [eventId(1)]]);
  });

  it('w103: an outdated event is settled without a handler, also over a restart', async () => {
    const store = new TableStore();
    const seen: string[] = [];
    const receiver = createReceiver({ secret, store, onEvent: ({ type }) => void seen.push(type) });
    await post(receiver, recoveredEvent(2));
    expect(await post(receiver, staleEvent(1))).toEqual([200, 'outdated']);
    expect(store.unhandled()).toEqual([]);
    // Left by the process before, overtaken by nothing: it runs, and what is older than it is late.
    store.rows.clear();
    store.accept(recoveredEvent(5) as unknown as WebhookEvent);
    const next = createReceiver({ secret, store, onEvent: ({ type }) => void seen.push(type) });
    await next.recovered();
    expect((await post(next, staleEvent(4)))[1]).toBe('outdated');
    expect(seen).toEqual(['turn.recovered', 'turn.recovered']);
  });

  it('that cannot be read at the start is told, and events are still taken', async () => {
    class Unreadable extends TableStore {
      override unhandled(): never {
        throw new Error('no such table');
      }
    }
    const errors: [unknown, unknown][] = [];
    const receiver = createReceiver({
      secret,
      store: new Unreadable(),
      onError: (error, event) => void errors.push([error, event]),
    });
    expect(await receiver.recovered()).toBe(0);
    expect(errors).toMatchObject([[{ message: 'no such table' }, undefined]]);
    expect((await post(receiver, staleEvent(1)))[0]).toBe(202);
  });

  it('that cannot be marked is told; the event is handled all the same', async () => {
    class Unmarkable extends TableStore {
      override handled(): never {
        throw new Error('disk full');
      }
    }
    const errors: unknown[] = [];
    const seen: string[] = [];
    const receiver = createReceiver({
      secret,
      store: new Unmarkable(),
      onStale: ({ id }) => void seen.push(id),
      onError: (error) => void errors.push(error),
    });
    await post(receiver, staleEvent(1));
    expect([seen.length, errors.length]).toEqual([1, 1]);
  });
});
