import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { SenderClock } from './clock.ts';
import type { EndpointConfig } from './endpoint.ts';
import { MemoryOutbox, type NewDelivery } from './memory-outbox.ts';
import type { EndpointState } from './outbox.ts';
import { baseDelayMs } from './schedule.ts';
import { Sender } from './sender.ts';
import type { DeliveryReport, SenderOptions } from './sender-options.ts';

// The whole sender on real sockets. Its clock runs fifty times as fast, so that minutes of retries take seconds.

const speed = 50;
const startMs = Date.now();
const clock: SenderClock = {
  nowMs: () => startMs + (Date.now() - startMs) * speed,
  setTimer: (fn, ms) => {
    const timer = setTimeout(fn, ms / speed);
    return () => clearTimeout(timer);
  },
};
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Post {
  readonly path: string;
  readonly id: string;
  readonly body: string;
  readonly atMs: number;
}

type Answer = (post: Post, response: ServerResponse) => void;

/** Endpoints on one server, each with a path of its own; what they answer is the test's. */
async function serve(answer: Answer) {
  const posts: Post[] = [];
  let check: () => void = () => undefined;
  const server = createServer(async (request: IncomingMessage, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const post = {
      path: request.url ?? '',
      id: String(request.headers['webhook-id']),
      body,
      atMs: clock.nowMs(),
    };
    posts.push(post);
    answer(post, response);
    check();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const until = (done: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      check = () => {
        if (done()) resolve();
      };
      check();
    });
  return { posts, base, until };
}

function endpointAt(base: string, id: string): EndpointConfig {
  return { id, url: `${base}/${id}`, secrets: [secret], allowLoopback: true };
}

function drain(
  outbox: MemoryOutbox,
  endpoints: readonly EndpointConfig[],
  more: Partial<SenderOptions> = {},
) {
  const reports: DeliveryReport[] = [];
  const changes: EndpointState[] = [];
  const sender = new Sender({
    outbox,
    endpoints,
    clock,
    random: () => 0.5,
    onReport: (report) => void reports.push(report),
    onEndpoint: (state) => void changes.push(state),
    ...more,
  });
  sender.start();
  cleanups.push(() => sender.stop());
  return { sender, reports, changes };
}

function delivery(endpointId: string, n: number, more: Partial<NewDelivery> = {}): NewDelivery {
  return {
    id: `evt_${n}`,
    endpointId,
    sequence: n,
    type: 'turn.stale',
    turnId: `turn_${n}`,
    body: `{"n":${n}}`,
    createdAtMs: clock.nowMs(),
    ...more,
  };
}

it('w101: of a hundred endpoints one never answers: the others get theirs, it has two requests at most', async () => {
  const hanging: ServerResponse[] = [];
  const { posts, base, until } = await serve(({ path }, response) => {
    if (path === '/p1') hanging.push(response);
    else response.writeHead(202).end();
  });
  const outbox = new MemoryOutbox();
  const ids = Array.from({ length: 100 }, (_, n) => `p${n + 1}`);
  for (const id of ids) for (const n of [1, 2, 3]) outbox.add(delivery(id, n));
  const { sender, reports } = drain(
    outbox,
    ids.map((id) => endpointAt(base, id)),
    { timeoutMs: 600_000 },
  );
  sender.wake();
  await until(() => posts.filter(({ path }) => path !== '/p1').length === 297);
  await expect.poll(() => reports.length).toBe(297);
  expect(hanging).toHaveLength(2);
  expect(sender.stats()).toMatchObject({ delivered: 297, inFlight: 2 });
  // Its connections end now, so that the sender can stop.
  for (const response of hanging) response.destroy();
});

it('w102, w100: no answer, then 500, then 200: delivered at the third attempt, after the documented delays', async () => {
  const { posts, base, until } = await serve((_post, response) => {
    if (posts.length === 2) response.writeHead(500).end();
    if (posts.length === 3) response.writeHead(200).end();
  });
  const outbox = new MemoryOutbox();
  outbox.add(delivery('a', 1));
  const { sender, reports } = drain(outbox, [endpointAt(base, 'a')], { timeoutMs: 5000 });
  sender.wake();
  await until(() => posts.length === 3);
  await expect
    .poll(() => reports.map(({ outcome, error }) => error?.code ?? outcome))
    .toEqual(['timeout', 'server_error', 'delivered']);
  expect(new Set(posts.map(({ id, body }) => `${id} ${body}`)).size).toBe(1);
  const [first, second] = reports;
  expect((posts[1]?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(baseDelayMs(2));
  expect((posts[2]?.atMs ?? 0) - (second?.atMs ?? 0)).toBeGreaterThanOrEqual(baseDelayMs(3));
  expect(reports[0]?.nextAttemptAtMs).toBe((first?.atMs ?? 0) + baseDelayMs(2));
});

describe('w211: what is answered', () => {
  it.each([400, 401, 404, 408, 409, 425, 429])(
    '%d is tried again and never counts as delivered',
    async (status) => {
      const { posts, base, until } = await serve((_post, response) =>
        response.writeHead(posts.length === 1 ? status : 204, { 'retry-after': '2' }).end(),
      );
      const outbox = new MemoryOutbox();
      outbox.add(delivery('a', 1));
      const { sender, reports } = drain(outbox, [endpointAt(base, 'a')]);
      sender.wake();
      await until(() => posts.length === 2);
      await expect.poll(() => reports.length).toBe(2);
      expect(reports).toMatchObject([{ outcome: 'retry', error: { status } }, { outcome: 'delivered' }]);
      // Retry-After counts with 429 alone of these.
      const waited = (posts[1]?.atMs ?? 0) - (reports[0]?.atMs ?? 0);
      expect(waited).toBeGreaterThanOrEqual(status === 429 ? 2000 : 1000);
    },
  );
});

it('w210: 410 ends the endpoint: no retry, the next event is dead at once, nothing is sent when it is enabled', async () => {
  const { posts, base, until } = await serve((_post, response) => response.writeHead(410).end());
  const outbox = new MemoryOutbox();
  outbox.add(delivery('a', 1));
  const { sender, reports, changes } = drain(outbox, [endpointAt(base, 'a')]);
  sender.wake();
  await until(() => posts.length === 1);
  await expect.poll(() => changes.map(({ status }) => status)).toEqual(['disabled']);
  outbox.add(delivery('a', 2));
  sender.wake();
  await expect
    .poll(() => outbox.get('evt_2', 'a'))
    .toMatchObject({ state: 'dead', lastError: { code: 'disabled' } });
  expect(reports).toMatchObject([{ outcome: 'dead', error: { code: 'gone', status: 410 } }]);
  sender.enable('a');
  await sender.idle();
  expect([posts.length, outbox.get('evt_1', 'a')?.state]).toEqual([1, 'dead']);
});

it('w216: an endpoint that was down for long gets its backlog in order of each turn, others are not delayed', async () => {
  let up = false;
  let atOnce = 0;
  let mostAtOnce = 0;
  const { posts, base, until } = await serve(({ path }, response) => {
    if (path === '/other') {
      response.writeHead(204).end();
      return;
    }
    if (!up) {
      response.writeHead(503).end();
      return;
    }
    mostAtOnce = Math.max(mostAtOnce, ++atOnce);
    setImmediate(() => {
      atOnce--;
      response.writeHead(204).end();
    });
  });
  const outbox = new MemoryOutbox();
  // A hundred turns, three events each; of one of them the last makes the two before it worthless.
  for (let n = 1; n <= 300; n++) {
    const turn = (n - 1) % 100;
    const more = turn === 0 ? {} : { type: 'request.expired' };
    outbox.add(delivery('down', n, { turnId: `turn_${turn}`, ...more }));
  }
  const endpoints = [endpointAt(base, 'down'), endpointAt(base, 'other')];
  const { sender, changes } = drain(outbox, endpoints, { pauseAfterMs: 5000, probeMs: 5000 });
  sender.wake();
  await expect.poll(() => changes.map(({ status }) => status), { timeout: 5000 }).toEqual(['paused']);
  expect(outbox.rows().filter(({ state }) => state === 'pending')).toHaveLength(300);
  outbox.add(delivery('other', 1));
  sender.wake();
  await until(() => posts.some(({ path }) => path === '/other'));

  const before = posts.length;
  up = true;
  await expect
    .poll(() => outbox.rows().some(({ state }) => state === 'pending'), { timeout: 10_000 })
    .toBe(false);
  expect(changes.map(({ status }) => status)).toEqual(['paused', 'active']);
  expect(mostAtOnce).toBeLessThanOrEqual(2);
  const sequences = Map.groupBy(posts.slice(before), ({ body }) => (JSON.parse(body).n - 1) % 100);
  // The probe of a paused endpoint is its newest event, and what was never tried goes before retries; in all else the
  // events of a turn are in order. What tells a turn's state never comes after something newer: it is superseded.
  const tried = new Set([...posts.slice(0, before), posts[before]].map((post) => post?.id));
  for (const [turn, ofTurn] of sequences) {
    const order = ofTurn.filter(({ id }) => !tried.has(id)).map(({ body }) => JSON.parse(body).n as number);
    expect(order, `turn ${turn}`).toEqual([...order].sort((a, b) => a - b));
  }
  const marked = outbox.rows().filter(({ state }) => state === 'superseded');
  expect(marked.every(({ turnId, supersededBy }) => turnId === 'turn_0' && supersededBy !== undefined)).toBe(
    true,
  );
  expect(outbox.rows().filter(({ state }) => state === 'delivered').length + marked.length).toBe(301);
});
