import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createReceiver, DetectorError, registerEndpoint } from '../receive.ts';
import { generateSecret } from '../sign.ts';
import { eventId, recoveredEvent, requestExpiredEvent, staleEvent } from './sample-events.ts';

interface Asked {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** A detector that answers by a script, on a real socket. */
async function scripted(script: (asked: Asked, nth: number) => { status: number; body?: unknown }) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    asked.push({ method: request.method, url: request.url, headers: request.headers, body });
    const last = asked.at(-1);
    if (last === undefined) return;
    const answer = script(last, asked.length);
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(answer.body === undefined ? '' : JSON.stringify(answer.body));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, detector: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('registerEndpoint', () => {
  it('says where and for whom, with a secret of its own, and takes it back', async () => {
    const { asked, detector } = await scripted(({ method }) =>
      method === 'POST' ? { status: 201, body: { endpoint: { id: 'ep_1' } } } : { status: 204 },
    );
    const url = 'https://parent.example/turnwatch';
    const registered = await registerEndpoint({ detector, token: 'tok', parent: 'planner', url });
    expect(registered).toMatchObject({ id: 'ep_1', secret: expect.stringMatching(/^whsec_/) });
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual({
      url,
      secret: registered.secret,
      match: { parent: 'planner' },
    });
    expect(asked[0]).toMatchObject({ url: '/v1/endpoints', headers: { authorization: 'Bearer tok' } });
    await registered.close();
    expect(asked[1]).toMatchObject({ method: 'DELETE', url: '/v1/endpoints/ep_1' });
  });

  it('keeps a secret that is given, and a path in front of the API', async () => {
    const { asked, detector } = await scripted(() => ({ status: 200, body: { endpoint: { id: 'ep_1' } } }));
    const secret = generateSecret();
    const registered = await registerEndpoint({
      detector: `${detector}/behind/proxy`,
      parent: 'p',
      url: 'https://a.example',
      secret,
      types: ['turn.stale'],
    });
    expect(registered.secret).toBe(secret);
    expect(asked[0]?.url).toBe('/behind/proxy/v1/endpoints');
    expect(JSON.parse(asked[0]?.body ?? '')).toMatchObject({ types: ['turn.stale'] });
    expect(asked[0]?.headers).not.toHaveProperty('authorization');
  });

  it('a refusal has its code and says how to mend it; one that is gone already is closed', async () => {
    const { detector } = await scripted(({ method }) =>
      method === 'POST'
        ? { status: 401, body: { code: 'TURNWATCH_ERR_UNAUTHORIZED', detail: 'Send a token.' } }
        : { status: 404, body: {} },
    );
    const refused = registerEndpoint({ detector, parent: 'p', url: 'https://a.example' });
    await expect(refused).rejects.toThrow(DetectorError);
    await expect(refused).rejects.toMatchObject({
      status: 401,
      code: 'TURNWATCH_ERR_UNAUTHORIZED',
      message: 'the detector answered 401 to POST v1/endpoints: Send a token.',
    });
    const { detector: other } = await scripted(({ method }) =>
      method === 'POST' ? { status: 201, body: { endpoint: { id: 'x' } } } : { status: 404, body: {} },
    );
    await (await registerEndpoint({ detector: other, parent: 'p', url: 'https://a.example' })).close();
  });

  it('something that is no detector is told so', async () => {
    const { detector } = await scripted(() => ({ status: 200, body: { hello: 'world' } }));
    await expect(registerEndpoint({ detector, parent: 'p', url: 'https://a.example' })).rejects.toThrow(
      /is it a Turnwatch detector/,
    );
  });
});

describe('catchUp', () => {
  const cursor = (sequence: number): string => String(sequence).padStart(16, '0');

  it('hands what was missed to the handlers, page by page, doubles and outdated ones left out', async () => {
    const pages = [
      { events: [staleEvent(1), requestExpiredEvent(2)], nextCursor: cursor(2), more: true },
      {
        events: [recoveredEvent(4), staleEvent(3), requestExpiredEvent(2)],
        nextCursor: cursor(4),
        more: false,
      },
    ];
    const { asked, detector } = await scripted((_asked, nth) => ({ status: 200, body: pages[nth - 1] }));
    const seen: string[] = [];
    const receiver = createReceiver({
      secret: generateSecret(),
      onEvent: async ({ id }) => void seen.push(id),
    });
    expect(await receiver.catchUp({ detector, token: 't', parent: 'p', after: '0' })).toEqual({
      cursor: cursor(4),
      events: 5,
      missed: false,
    });
    expect(seen).toEqual([1, 2, 4].map(eventId));
    expect(asked.map(({ url }) => url)).toEqual([
      '/v1/events?after=0&limit=100&parent=p',
      `/v1/events?after=${cursor(2)}&limit=100&parent=p`,
    ]);
    expect(receiver.stats()).toMatchObject({ accepted: 3, duplicates: 1, outdated: 1 });
  });

  it('a cursor that is too old: goes on with the oldest, and says that something was missed', async () => {
    const { asked, detector } = await scripted((_asked, nth) =>
      nth === 1
        ? { status: 410, body: { code: 'TURNWATCH_ERR_CURSOR_GONE', oldestCursor: cursor(7) } }
        : { status: 200, body: { events: [staleEvent(8)], nextCursor: cursor(8), more: false } },
    );
    const receiver = createReceiver({ secret: generateSecret() });
    expect(await receiver.catchUp({ detector, after: cursor(2) })).toMatchObject({ missed: true, events: 1 });
    expect(asked[1]?.url).toContain(`after=${cursor(7)}`);
  });

  it('refuses to turn in circles, and what is no page', async () => {
    const { detector, asked } = await scripted(() => ({ status: 410, body: { oldestCursor: cursor(7) } }));
    const receiver = createReceiver({ secret: generateSecret() });
    await expect(receiver.catchUp({ detector, after: '1' })).rejects.toMatchObject({ status: 410 });
    expect(asked).toHaveLength(2);
    const { detector: other } = await scripted(() => ({ status: 200, body: [] }));
    await expect(receiver.catchUp({ detector: other, after: '1' })).rejects.toThrow(
      /is it a Turnwatch detector/,
    );
  });

  it('an event that cannot be stored stops it: the cursor is not moved past it', async () => {
    const { detector } = await scripted(() => ({
      status: 200,
      body: { events: [staleEvent(1)], nextCursor: cursor(1), more: false },
    }));
    const receiver = createReceiver({
      secret: generateSecret(),
      store: {
        accept: () => {
          throw new Error('disk full');
        },
        handled: () => undefined,
        unhandled: () => [],
      },
      onError: () => undefined,
    });
    await expect(receiver.catchUp({ detector, after: '0' })).rejects.toThrow(/could not be stored/);
  });
});
