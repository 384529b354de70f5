import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import express from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import {
  abortOnExpired,
  createReceiver,
  type EventStore,
  type Receiver,
  TurnExpiredError,
} from '../receive.ts';
import { generateSecret, sign } from '../sign.ts';
import type { ReceiverOptions } from './receiver-options.ts';
import {
  eventId,
  expiredEvent,
  recoveredEvent,
  requestExpiredEvent,
  type SampleEvent,
  staleEvent,
} from './sample-events.ts';

const nowMs = 1_796_036_560_000;
const secret = generateSecret();
const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

function receiver(options: Partial<ReceiverOptions> = {}): Receiver {
  return createReceiver({ secret, nowMs: () => nowMs, ...options });
}

function headersFor(body: string, id: string, secrets: string | string[] = secret): Record<string, string> {
  const timestampS = nowMs / 1000;
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestampS),
    'webhook-signature': sign({ id, timestampS, body, secrets }),
  };
}

function requestFor(event: SampleEvent | { id: string }, secrets: string | string[] = secret): Request {
  const body = JSON.stringify(event);
  return new Request('https://parent.example/turnwatch', {
    method: 'POST',
    body,
    headers: headersFor(body, event.id, secrets),
  });
}

async function codeOf(response: Response): Promise<string> {
  const body = (await response.json()) as { status?: string; error?: { code: string } };
  return body.error?.code ?? body.status ?? '';
}

/** Collects what handlers were told, and lets a test wait for the n-th of it. */
function witness() {
  const seen: string[] = [];
  let check: () => void = () => undefined;
  const note = (text: string): void => {
    seen.push(text);
    check();
  };
  const until = (count: number): Promise<string[]> =>
    new Promise((resolve) => {
      check = () => {
        if (seen.length >= count) resolve([...seen]);
      };
      check();
    });
  return { seen, note, until };
}

type Listener = Parameters<typeof createServer>[1];

async function listen(listener: Listener): Promise<string> {
  const server = createServer(listener as never);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/turnwatch`;
}

function post(url: string, event: SampleEvent): Promise<Response> {
  const body = JSON.stringify(event);
  return fetch(url, { method: 'POST', body, headers: headersFor(body, event.id) });
}

describe('typed events reach their handlers', () => {
  it('each its own, and onEvent all of them first', async () => {
    const { note, until } = witness();
    const made = receiver({
      onEvent: (event) => note(`event ${event.type}`),
      onStale: (event) => note(`stale ${event.data.turn.id} ${event.data.stale.reason}`),
      onExpired: (event) => note(`expired ${event.data.turn.id}`),
      onRecovered: (event) => note(`recovered ${event.data.turn.id}`),
      onRequestExpired: (event) => note(`request ${event.data.turn.id}`),
    });
    const events = [staleEvent(1), recoveredEvent(2), requestExpiredEvent(3), expiredEvent(4)];
    for (const event of events) expect((await made.fetch(requestFor(event))).status).toBe(202);
    expect((await until(8)).sort()).toEqual(
      [
        'event request.expired',
        'event turn.expired',
        'event turn.recovered',
        'event turn.stale',
        'expired turn_1',
        'recovered turn_1',
        'request turn_1',
        'stale turn_1 silence',
      ].sort(),
    );
  });

  it('a type this version does not know reaches onEvent and is accepted', async () => {
    const { note, until } = witness();
    const made = receiver({ onEvent: (event) => note(event.type) });
    const event = { ...staleEvent(1), type: 'turn.dreaming', data: { new: true } };
    expect((await made.fetch(requestFor(event))).status).toBe(202);
    expect(await until(1)).toEqual(['turn.dreaming']);
  });

  it('a field or a reason from a newer detector does not keep a stale event from its handler', async () => {
    const { note, until } = witness();
    const made = receiver({ onStale: (event) => note(event.data.stale.reason) });
    const event = staleEvent(1, { reason: 'cosmic_rays', certainty: 0.9 });
    expect((await made.fetch(requestFor(event))).status).toBe(202);
    expect(await until(1)).toEqual(['cosmic_rays']);
  });

  it('an event that lacks what its type must have is refused, so that it shows in the delivery log', async () => {
    const response = await receiver().fetch(requestFor({ ...staleEvent(1), data: { turn: {} } }));
    expect([response.status, await codeOf(response)]).toEqual([422, 'bad_event']);
  });
});

describe('w095, w203: accepted once', () => {
  it('answers 202 before the handler has begun', async () => {
    const { seen, note, until } = witness();
    const made = receiver({ onStale: () => note('handler') });
    const response = await made.fetch(requestFor(staleEvent(1)));
    expect(response.status).toBe(202);
    // However long the server's own chain of promises is: the handler is a task of its own.
    for (let i = 0; i < 100; i++) await Promise.resolve();
    expect(seen).toEqual([]);
    expect(await until(1)).toEqual(['handler']);
  });

  it('a repeated id is answered 200 and dropped, also with a newer signature', async () => {
    const { seen, note, until } = witness();
    let clockMs = nowMs;
    const made = receiver({ onStale: () => note('handler'), nowMs: () => clockMs });
    await made.fetch(requestFor(staleEvent(1)));
    await until(1);
    clockMs += 60_000;
    const again = await made.fetch(requestFor(staleEvent(1)));
    expect([again.status, await codeOf(again)]).toEqual([200, 'duplicate']);
    expect(seen).toEqual(['handler']);
    expect(made.stats()).toMatchObject({ accepted: 1, duplicates: 1 });
  });

  it('a retry that overlaps waits for the first, and one of them runs the handler', async () => {
    const { note, until, seen } = witness();
    const gate = Promise.withResolvers<boolean>();
    const store: EventStore = { accept: () => gate.promise, handled: () => undefined, unhandled: () => [] };
    const made = receiver({ onStale: () => note('handler'), store });
    const both = [made.fetch(requestFor(staleEvent(1))), made.fetch(requestFor(staleEvent(1)))];
    gate.resolve(true);
    expect((await Promise.all(both)).map((response) => response.status)).toEqual([202, 200]);
    await until(1);
    expect(seen).toHaveLength(1);
  });

  it('memory is bounded in number and time', async () => {
    let clockMs = nowMs;
    const made = receiver({ nowMs: () => clockMs, toleranceS: 1e9 });
    const first = await made.fetch(requestFor(staleEvent(0)));
    expect(first.status).toBe(202);
    clockMs += 24 * 3600_000 + 1;
    // After 24 h the id is forgotten; the handler may run again, as the docstring says.
    expect((await made.fetch(requestFor(staleEvent(0)))).status).toBe(202);
  });

  it('a store that refuses is a 500 that the sender retries; nothing was run', async () => {
    const { seen, note, until } = witness();
    let broken = true;
    const store: EventStore = {
      accept: () => {
        if (broken) throw new Error('disk full');
        return true;
      },
      handled: () => undefined,
      unhandled: () => [],
    };
    const errors: unknown[] = [];
    const made = receiver({ store, onStale: () => note('handler'), onError: (error) => errors.push(error) });
    const response = await made.fetch(requestFor(staleEvent(1)));
    expect([response.status, await codeOf(response)]).toEqual([500, 'store_failed']);
    expect(errors).toHaveLength(1);
    broken = false;
    expect((await made.fetch(requestFor(staleEvent(1)))).status).toBe(202);
    await until(1);
    expect(seen).toHaveLength(1);
  });

  it('a store that another process was first at makes it a double', async () => {
    const store: EventStore = {
      accept: async () => false,
      handled: () => undefined,
      unhandled: () => [],
    };
    expect(await codeOf(await receiver({ store }).fetch(requestFor(staleEvent(1))))).toBe('duplicate');
  });

  it('what a handler throws goes to onError and does not unmark the event', async () => {
    const { note, until } = witness();
    const made = receiver({
      onStale: async () => {
        throw new Error('no agent there');
      },
      onError: (error, event) => note(`${(error as Error).message} ${event?.id}`),
    });
    await made.fetch(requestFor(staleEvent(1)));
    expect(await until(1)).toEqual([`no agent there ${eventId(1)}`]);
    expect(await codeOf(await made.fetch(requestFor(staleEvent(1))))).toBe('duplicate');
    expect(made.stats().handlerErrors).toBe(1);
  });
});

describe('w103: late older events', () => {
  it('are answered 200 and dropped', async () => {
    const { seen, note, until } = witness();
    const made = receiver({ onStale: () => note('stale'), onRecovered: () => note('recovered') });
    await made.fetch(requestFor(recoveredEvent(2)));
    const late = await made.fetch(requestFor(staleEvent(1)));
    expect([late.status, await codeOf(late)]).toEqual([200, 'outdated']);
    await until(1);
    expect(seen).toEqual(['recovered']);
    expect(made.stats().outdated).toBe(1);
  });

  it('of another turn, or about one request, are not late', async () => {
    const made = receiver();
    await made.fetch(requestFor(recoveredEvent(5)));
    expect((await made.fetch(requestFor(requestExpiredEvent(3)))).status).toBe(202);
    expect((await made.fetch(requestFor({ ...staleEvent(4), subject: 'turn_2' }))).status).toBe(202);
  });

  it('a detector that counts from 1 again after losing its database is heard', async () => {
    const made = receiver();
    await made.fetch(requestFor(staleEvent(900)));
    const news = { ...staleEvent(1), id: 'evt_new', time: '2026-11-30T12:30:00.000Z' };
    expect((await made.fetch(requestFor(news))).status).toBe(202);
  });
});

describe('what is refused', () => {
  it('a body parsed before, in fetch', async () => {
    const request = requestFor(staleEvent(1));
    await request.json();
    const response = await receiver().fetch(request);
    expect([response.status, await codeOf(response)]).toEqual([400, 'body_not_raw']);
  });

  it('another secret, a body over 64 kB, another method, an id that is not the body’s, no JSON', async () => {
    const made = receiver();
    const wrong = await made.fetch(requestFor(staleEvent(1), generateSecret()));
    expect([wrong.status, await codeOf(wrong)]).toEqual([401, 'no_matching_signature']);
    const large = await made.fetch(requestFor({ ...staleEvent(1), data: 'x'.repeat(65_536) }));
    expect([large.status, await codeOf(large)]).toEqual([413, 'body_too_large']);
    expect((await made.fetch(new Request('https://parent.example/'))).status).toBe(405);
    const body = JSON.stringify(staleEvent(1));
    const other = new Request('https://parent.example/', {
      method: 'POST',
      body,
      headers: headersFor(body, 'evt_9'),
    });
    expect(await codeOf(await made.fetch(other))).toBe('id_mismatch');
    const text = new Request('https://parent.example/', {
      method: 'POST',
      body: 'hi',
      headers: headersFor('hi', 'evt_9'),
    });
    expect(await codeOf(await made.fetch(text))).toBe('bad_json');
    expect(made.stats()).toMatchObject({ refused: 5, accepted: 0 });
  });

  it('a bad secret, at start-up', () => {
    expect(() => createReceiver({ secret: 'hunter2' })).toThrow(/whsec_/);
    expect(() => createReceiver({ secret: [] })).toThrow(/no webhook secret/);
  });

  it('w204: during a rotation either secret will do', async () => {
    const next = generateSecret();
    const made = receiver({ secret: [secret, next] });
    expect((await made.fetch(requestFor(staleEvent(1), next))).status).toBe(202);
    expect((await made.fetch(requestFor(staleEvent(2), secret))).status).toBe(202);
  });
});

describe('express 5', () => {
  it.each([
    ['nothing parsed', undefined],
    ['express.raw for any type', express.raw({ type: () => true })],
    ['express.raw for another type', express.raw({ type: 'image/png' })],
    ['express.text', express.text({ type: () => true })],
    [
      'express.json that keeps rawBody',
      express.json({ verify: (request, _response, bytes) => Object.assign(request, { rawBody: bytes }) }),
    ],
  ])('works with %s', async (_name, parser) => {
    const { note, until } = witness();
    const app = express();
    if (parser !== undefined) app.use(parser);
    app.post('/turnwatch', receiver({ onStale: () => note('stale') }).express());
    const url = await listen(app as never);
    expect((await post(url, staleEvent(1))).status).toBe(202);
    expect(await until(1)).toEqual(['stale']);
  });

  it('after express.json it says what is wrong and how to mend it', async () => {
    const app = express();
    app.use(express.json());
    app.post('/turnwatch', receiver().express());
    const response = await post(await listen(app as never), staleEvent(1));
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(
      /body_not_raw.*the body was parsed before verification: hand over the raw body/,
    );
  });

  it('the handler runs after the answer, and a long one holds nothing up', async () => {
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const { note, until } = witness();
    const app = express();
    app.post(
      '/turnwatch',
      receiver({
        onStale: async () => {
          await gate.promise;
          order.push('handled');
          note('handled');
        },
      }).express(),
    );
    const response = await post(await listen(app as never), staleEvent(1));
    order.push(`answered ${response.status}`);
    gate.resolve();
    await until(1);
    expect(order).toEqual(['answered 202', 'handled']);
  });
});

describe('node:http', () => {
  it('works as the listener of a server', async () => {
    const { note, until } = witness();
    const url = await listen(receiver({ onStale: () => note('stale') }).node as never);
    expect((await post(url, staleEvent(1))).status).toBe(202);
    expect(await until(1)).toEqual(['stale']);
    expect((await fetch(url)).status).toBe(405);
    const large = await fetch(url, { method: 'POST', body: 'x'.repeat(1_000_000) });
    expect(large.status).toBe(413);
  });

  it('the answer is on its way before the handler begins', async () => {
    const { note, until } = witness();
    let sent: ServerResponse | undefined;
    const made = receiver({ onEvent: () => note(`answered: ${sent?.writableFinished}`) });
    const url = await listen((request, response) => {
      sent = response;
      void made.node(request, response);
    });
    await post(url, staleEvent(1));
    expect(await until(1)).toEqual(['answered: true']);
  });

  it('a sender that goes away in the middle of the body leaves nothing behind', async () => {
    const { seen, note } = witness();
    const made = receiver({ onEvent: () => note('event') });
    const settled = Promise.withResolvers<void>();
    const url = await listen(((request: never, response: never) =>
      made.node(request, response).then(settled.resolve)) as never);
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write('POST /turnwatch HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\n{"id":');
    socket.end();
    await settled.promise;
    socket.destroy();
    expect(seen).toEqual([]);
  });

  it('a sender that goes away before the answer has its event handled all the same', async () => {
    const { note, until } = witness();
    const gate = Promise.withResolvers<boolean>();
    const stored = Promise.withResolvers<void>();
    const store: EventStore = {
      accept: () => {
        stored.resolve();
        return gate.promise;
      },
      handled: () => undefined,
      unhandled: () => [],
    };
    const url = await listen(receiver({ store, onStale: () => note('stale') }).node as never);
    const aborting = new AbortController();
    const body = JSON.stringify(staleEvent(1));
    const sent = fetch(url, {
      method: 'POST',
      body,
      headers: headersFor(body, eventId(1)),
      signal: aborting.signal,
    });
    await stored.promise;
    aborting.abort();
    await expect(sent).rejects.toThrow();
    gate.resolve(true);
    expect(await until(1)).toEqual(['stale']);
  });
});

describe('fetch', () => {
  it('hands the handler to waitUntil where the platform has it', async () => {
    const { note, seen } = witness();
    const waits: Promise<unknown>[] = [];
    const context = { waitUntil: (promise: Promise<unknown>) => waits.push(promise) };
    await receiver({ onStale: () => note('stale') }).fetch(requestFor(staleEvent(1)), context);
    await Promise.all(waits);
    expect(seen).toEqual(['stale']);
  });
});

describe('abortOnExpired', () => {
  it('aborts the controller of its turn, with a reason that says why, and no other', async () => {
    const controllers = new Map([
      ['turn_1', new AbortController()],
      ['turn_2', new AbortController()],
    ]);
    const signals = [...controllers.values()].map((controller) => controller.signal);
    const made = receiver({ onExpired: abortOnExpired(controllers) });
    const aborted = once(signals[0] as AbortSignal, 'abort');
    await made.fetch(requestFor(expiredEvent(1)));
    await aborted;
    expect(signals.map((signal) => signal.aborted)).toEqual([true, false]);
    expect(signals[0]?.reason).toBeInstanceOf(TurnExpiredError);
    expect([...controllers.keys()]).toEqual(['turn_2']);
  });

  it('knows nothing of turns it does not have', () => {
    expect(() => abortOnExpired(new Map())(expiredEvent(1) as never)).not.toThrow();
  });
});
